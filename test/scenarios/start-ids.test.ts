import { expect, test } from 'vitest'
import type { Holdpoint } from '../../src/index.ts'
import { advanced, aWorkplace } from './workplace.ts'

const start = { agent: 'worker', input: 'go', author: 'ana', startId: 's-1' }

test('P2: of 30 starts with one id through several stores at once, one begins a run, and all are told of it', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  const faces = await Promise.all([1, 2, 3].map(() => place.open()))
  const started = await Promise.all(
    Array.from({ length: 30 }, (_, n) => (faces[n % faces.length] as Holdpoint).start(start)),
  )
  const [holdpoint] = faces as [Holdpoint]
  const [run, ...others] = await holdpoint.runs()
  expect(others).toEqual([])
  expect(new Set(started.map(({ id }) => id))).toEqual(new Set([run?.id]))
  expect(new Set(started.map(each => JSON.stringify(each))).size).toBe(1)
  expect(await holdpoint.checkpoint(started[0]?.checkpoint_id ?? '')).toMatchObject({ run_id: run?.id })
  expect(run).toMatchObject({ thread_id: started[0]?.thread_id, checkpoint_id: started[0]?.checkpoint_id })
  for (const face of faces) await face[Symbol.asyncDispose]()
})

test('a start that was taken is the same run whatever that did by then', async () => {
  await using place = await aWorkplace({ script: ['Done.', 'More.'] })
  await using holdpoint = await place.open()
  const first = await holdpoint.start(start)
  await advanced(holdpoint, first.id)
  const { run_id } = await holdpoint.send(first.thread_id, { text: 'and on' })
  await advanced(holdpoint, run_id)
  expect(await holdpoint.start(start)).toEqual(first)
  expect(await holdpoint.runs()).toHaveLength(2)
})

test('P2: another start with the id of one is refused, and nothing is started', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start(start)
  const refused = { code: 'start_id_taken', details: { run_id: id } }
  await expect(holdpoint.start({ ...start, input: 'stop' })).rejects.toMatchObject(refused)
  await expect(holdpoint.start({ ...start, input: [{ type: 'text', text: 'go' }, IMAGE] })).rejects.toMatchObject(
    refused,
  )
  expect(await holdpoint.journal(thread_id)).toHaveLength(3)
  expect(await holdpoint.runs()).toHaveLength(1)
})

test('ids of one author are not those of another, or of another store', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  await using elsewhere = await aWorkplace({ script: ['Done.'] })
  await using holdpoint = await place.open()
  await using other = await elsewhere.open()
  const { author: _, ...byNobody } = start
  const threads = [
    await holdpoint.start(start),
    await holdpoint.start({ ...start, author: 'ben' }),
    await holdpoint.start(byNobody),
    await holdpoint.start({ ...start, startId: 's-2' }),
    await other.start(start),
  ]
  expect(new Set(threads.map(({ thread_id }) => thread_id)).size).toBe(5)
})

test('a start with an id that cannot be one is refused', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  await using holdpoint = await place.open()
  for (const startId of ['', ' ', 7] as string[])
    await expect(holdpoint.start({ ...start, startId })).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(await holdpoint.runs()).toEqual([])
})

const IMAGE = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' } as const
