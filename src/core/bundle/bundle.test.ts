import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aDecision, aHold, aJournal, anEvent, aProfile } from '../../testing/contracts/sample-journal.ts'
import type { Grant } from '../hold/grant.ts'
import { type BundledThread, type BundleHeader, bundleText, contentText, readBundle, readContent } from './bundle.ts'
import { checkBundle } from './check-bundle.ts'

const sha256 = (text: string): string => hash('sha256', text, 'hex')

const header: BundleHeader = {
  ...{ format: 'holdpoint-bundle', version: 1, bundle_id: 'bundle_1', thread_id: 'th_1', run_id: 'run_1' },
  ...{
    checkpoint_id: 'cp_1',
    created_at: '2030-01-01T00:00:00.000Z',
    holdpoint: '0.1.0',
    journal: 3,
    encryption: null,
  },
}

const thread: BundledThread = {
  created_at: '2030-01-01T00:00:00.000Z',
  events: aJournal([
    anEvent('run.started', { profile: aProfile() }),
    anEvent('message.received', { content: 'Größe 🙂 \u2028 "x"\n' }),
    anEvent('step.started'),
    anEvent('model.answered'),
    anEvent('hold.opened'),
    anEvent('checkpoint.named', { checkpoint_id: 'cp_1', reason: 'pause' }),
  ]),
  runs: [
    {
      ...{ id: 'run_1', agent: 'tester', hold_scope: 'batch', parent_run_id: null, checkpoint_id: 'cp_1' },
      ...{ created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z' },
    },
  ],
  holds: [aHold()],
  grants: [],
}

const text = bundleText(header, contentText(thread), sha256)

function codeOf(work: () => unknown): unknown {
  try {
    work()
    return 'nothing was refused'
  } catch (thrown) {
    return (thrown as { code?: unknown }).code
  }
}

/** As `-c FILE` does, encryption apart. */
function taken(written: string): unknown {
  const read = readBundle(written, sha256)
  const content = readContent(read.header.thread_id, read.content)
  return checkBundle(read.header, content) && content
}

test('what is written is what is read, and its first line is the header', () => {
  expect(taken(text)).toEqual(thread)
  expect(readBundle(text, sha256).header).toEqual(header)
  expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual(header)
})

test('a bundle that was cut off anywhere is refused', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length - 2 }), length => {
      expect(['not_a_bundle', 'bundle_damaged']).toContain(codeOf(() => taken(text.slice(0, length))))
    }),
  )
})

test('a bundle of which one character was changed is refused', () => {
  fc.assert(
    fc.property(fc.nat(text.length - 2), fc.constantFrom('0', 'x', '"', '\n', ' '), (at, other) => {
      fc.pre(text[at] !== other)
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      expect(['not_a_bundle', 'bundle_damaged', 'bundle_newer']).toContain(codeOf(() => taken(changed)))
    }),
  )
})

test.each([
  ['text of another kind', 'not_a_bundle', () => '{"format":"other"}\n{}\n'],
  ['an empty file', 'not_a_bundle', () => ''],
  ['one of a newer version', 'bundle_newer', () => bundleText({ ...header, version: 2 }, 'anything', sha256)],
  ['one with newer events', 'bundle_newer', () => bundleText({ ...header, journal: 4 }, 'anything', sha256)],
  ['one without its run', 'bundle_damaged', () => bundleText({ ...header, run_id: '' }, contentText(thread), sha256)],
  ['one with a line of another kind', 'bundle_damaged', () => bundleText(header, '{"hint":{}}', sha256)],
  ['one with half a line', 'bundle_damaged', () => bundleText(header, '{"event":{"seq":1}}', sha256)],
])('%s is refused with %s', (_, code, written) => {
  expect(codeOf(() => taken(written()))).toBe(code)
})

describe('a bundle that fits in itself, but not its journal, is refused:', () => {
  const [run] = thread.runs
  const decided = aHold({ status: 'decided', decision: aDecision('approve') })
  const grant: Grant = {
    ...{ id: 'grant_1', name: 'all', scope_id: '/', agent: 'tester', tool: 'work', arguments: null },
    ...{ match: null, schema_digest: 'x', hold_id: 'hold_1', granted_by: 'ana', surface: 'test', uses: 0 },
    ...{ granted_at: '2030-01-01T00:00:00.000Z', expires_at: null, revoked_at: null, revoked_by: null },
    ...{ scope: 'project' as const },
  }

  test.each<[string, Partial<BundledThread>]>([
    ['an approval that nobody gave', { holds: [decided] }],
    ['a hold with another digest', { holds: [aHold({ digest: 'sha256:2' })] }],
    ['a hold that was never opened', { holds: [aHold(), aHold({ id: 'hold_2' })] }],
    ['a hold that is missing', { holds: [] }],
    ['a hold that is not open any more', { holds: [aHold({ status: 'withdrawn' })] }],
    ['a run that never started', { runs: [...thread.runs, { ...run!, id: 'run_2' }] }],
    ['an event that is missing', { events: thread.events.filter(({ seq }) => seq !== 2) }],
    ['an effect that nobody let happen', { events: aJournal([anEvent('run.started'), anEvent('call.started')]) }],
    ['what is allowed beyond its thread', { grants: [grant] }],
    ['what is allowed in another thread', { grants: [{ ...grant, scope: 'thread', scope_id: 'th_2' }] }],
  ])('%s', (_, changes) => {
    const forged = bundleText(header, contentText({ ...thread, ...changes }), sha256)
    expect(codeOf(() => taken(forged))).toBe('bundle_inconsistent')
  })

  test('a header that names another checkpoint', () => {
    const forged = bundleText({ ...header, checkpoint_id: 'cp_2' }, contentText(thread), sha256)
    expect(codeOf(() => taken(forged))).toBe('bundle_inconsistent')
  })
})
