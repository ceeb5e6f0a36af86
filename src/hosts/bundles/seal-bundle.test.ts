import { expect, test } from 'vitest'
import type { Bundle } from '../../runtime/threads/bundles.ts'
import { aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import { sealBundle, unsealBundle } from './seal-bundle.ts'

const bundle: Bundle = {
  header: {
    ...{ format: 'holdpoint-bundle', version: 1, bundle_id: 'bundle_1', thread_id: 'th_1', run_id: 'run_1' },
    ...{
      checkpoint_id: 'cp_1',
      created_at: '2030-01-01T00:00:00.000Z',
      holdpoint: '0.1.0',
      journal: 3,
      encryption: null,
    },
  },
  thread: {
    created_at: '2030-01-01T00:00:00.000Z',
    events: aJournal([anEvent('run.started'), anEvent('message.received', { content: 'the secret plan' })]),
    runs: [],
    holds: [],
    grants: [],
  },
}

const key = 'a long random text'

test('what was encrypted is read with the same key, and by nobody without it', async () => {
  const text = await sealBundle(bundle, key)
  expect(text).not.toContain('secret plan')
  expect((await unsealBundle(text, key)).thread).toEqual(bundle.thread)
  await expect(unsealBundle(text, null)).rejects.toMatchObject({ code: 'no_bundle_key' })
  await expect(unsealBundle(text, `${key}!`)).rejects.toMatchObject({ code: 'wrong_bundle_key' })
})

test('the same bundle is never encrypted to the same text twice', async () => {
  const [one, two] = await Promise.all([sealBundle(bundle, key), sealBundle(bundle, key)])
  expect(one.split('\n')[1]).not.toBe(two.split('\n')[1])
})

test('where a key is set, a bundle that anybody could have written is refused', async () => {
  const text = await sealBundle(bundle, null)
  await expect(unsealBundle(text, key)).rejects.toMatchObject({ code: 'bundle_not_encrypted' })
  expect((await unsealBundle(text, null)).thread).toEqual(bundle.thread)
})

test('neither the header nor the content can be changed by somebody who makes the checksum fit', async () => {
  const { bundleText } = await import('../../core/bundle/bundle.ts')
  const { hash } = await import('node:crypto')
  const [head = '', content = ''] = (await sealBundle(bundle, key)).split('\n')
  const forge = (header: typeof bundle.header, body: string) =>
    bundleText(header, body, text => hash('sha256', text, 'hex'))
  const header = JSON.parse(head)
  const bytes = Buffer.from(content, 'base64')
  bytes[20] = (bytes[20] ?? 0) ^ 1
  const forged = [forge({ ...header, bundle_id: 'bundle_2' }, content), forge(header, bytes.toString('base64'))]
  for (const text of forged) await expect(unsealBundle(text, key)).rejects.toMatchObject({ code: 'wrong_bundle_key' })
  expect((await unsealBundle(forge(header, content), key)).thread).toEqual(bundle.thread)
})
