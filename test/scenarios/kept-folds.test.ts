/** P12: a thread with a long journal goes on from its kept fold, and nobody can tell. */
import { copyFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Model, ModelRequest, RunOutline, RunView } from '../../src/index.ts'
import { advanced, aWorkplace, type Workplace } from './workplace.ts'

const STEPS = 200
const WINDOW = 8_000

const PLAN = [{ step: 'Read on', state: 'in_progress' }]

/** Reads file after file by its plan, and keeps its requests. */
const aReader = () => {
  const requests: string[] = []
  let step = 0
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const saying = (text: string) => ({ text, calls: [], usage, finish_reason: 'stop' })
  const answer = async ({ system, messages, tools }: ModelRequest) => {
    if (system?.startsWith('You write the summary')) return saying('Files were read.')
    requests.push(JSON.stringify({ system, messages, tools }))
    step += 1
    if (step > STEPS) return saying(`Said ${step}.`)
    const call =
      step === 3
        ? { id: 'plan', name: 'plan', arguments: JSON.stringify({ steps: PLAN }), metadata: null }
        : { id: `read_${step}`, name: 'read', arguments: `{"file":${step}}`, metadata: null }
    return { text: '', calls: [call], usage, finish_reason: 'tool-calls' }
  }
  return { model: { id: 'reader', answer } satisfies Model, requests }
}

const reading = (model: Model) => (it: Workplace) => ({
  model,
  context: { window: WINDOW },
  stop: [{ type: 'max_rounds', rounds: 1_000 }] as const,
  tools: [
    it.tool('plan', { execute: async () => 'Noted.' }),
    it.tool('read', {
      execute: async ({ file }: { file: number }) => `begin ${file} ${'word '.repeat(400)} end ${file}`,
    }),
  ],
})

/** The store of a long run that is over. */
const aLongRun = async () => {
  const { model } = aReader()
  const place = await aWorkplace(reading(model))
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'Read on.' })
  expect(await advanced(holdpoint, id)).toMatchObject({ answer: `Said ${STEPS + 1}.` })
  return { place, id, thread_id, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

/** What the model is sent with the next message, once the copy of the store was changed. */
const nextRequest = async ({ place, thread_id }: Awaited<ReturnType<typeof aLongRun>>, change = '') => {
  const { model, requests } = aReader()
  await using copy = await aWorkplace(it => ({
    ...reading(model)(it),
    stop: [{ type: 'max_rounds', rounds: 1 }] as const,
  }))
  place.inFile(database => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  await copyFile(place.file, copy.file)
  copy.inFile(database => database.exec(change))
  await using holdpoint = await copy.open()
  const { run_id } = await holdpoint.send(thread_id, { text: 'And now?', author: 'ana' })
  const view = await advanced(holdpoint, run_id)
  return { request: requests[0], messages: view.messages, copy }
}

test('the next message is answered from the same request, with a kept fold, without it, and with any that is none', async () => {
  await using run = await aLongRun()
  const folds = run.place.inFile(database => database.prepare('SELECT version, length(fold) AS size FROM folds').all())
  expect(folds).toMatchObject([{ version: 2 }])
  // Far less than the journal, which has each result in full.
  expect(Number(folds[0]!['size'])).toBeLessThan(300_000)
  const { request, messages } = await nextRequest(run, 'DELETE FROM folds')
  expect(request).toContain('Files were read.')
  const changes = [
    '',
    'UPDATE folds SET version = 99',
    "UPDATE folds SET fold = x'00ff'",
    'UPDATE folds SET fold = substr(fold, 1, length(fold) / 2)',
    "UPDATE folds SET fold = CAST(replace(fold, 'Files were read.', 'Files were lost.') AS BLOB)",
    'UPDATE events SET at = at + 60000',
  ]
  for (const change of changes) {
    const next = await nextRequest(run, change)
    expect(next.request, change).toBe(request)
    expect(next.messages, change).toEqual(messages)
  }
  expect(messages.find(message => message.role === 'tool')?.content).toContain('end 1')
})

test('an outline of a run is that of the whole journal, and reads no event that the fold has', async () => {
  await using run = await aLongRun()
  await using holdpoint = await run.place.open()
  const outlineOf = ({ messages: _, ...outline }: RunView): RunOutline => outline
  const whole = outlineOf(await holdpoint.run(run.id))
  expect(whole).toMatchObject({ plan: PLAN, answer: `Said ${STEPS + 1}.` })
  expect(await holdpoint.runOutline(run.id)).toEqual(whole)

  const { run_id } = await holdpoint.send(run.thread_id, { text: 'And now?', author: 'ana' })
  expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'done' })
  for (const id of [run.id, run_id]) expect(await holdpoint.runOutline(id)).toEqual(outlineOf(await holdpoint.run(id)))

  run.place.inFile(database => database.exec('DELETE FROM events WHERE place & 4194303 BETWEEN 10 AND 100'))
  expect(await holdpoint.runOutline(run_id)).toMatchObject({ plan: PLAN, status: 'done' })
  await expect(holdpoint.run(run_id)).rejects.toMatchObject({ code: 'corrupt_journal' })
})

test('a result from before the summary is read back in full', async () => {
  await using run = await aLongRun()
  const asks: Model = {
    id: 'asks',
    answer: async ({ messages }) => {
      const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
      if (messages.at(-1)?.role === 'tool') return { text: 'Read.', calls: [], usage, finish_reason: 'stop' }
      const call = { id: 'back', name: 'read_result', arguments: '{"call_id":"read_1"}', metadata: null }
      return { text: '', calls: [call], usage, finish_reason: 'tool-calls' }
    },
  }
  await using holdpoint = await run.place.open({ ...reading(asks)(run.place) })
  const { run_id } = await holdpoint.send(run.thread_id, { text: 'What was in the first file?', author: 'ana' })
  const { messages } = await advanced(holdpoint, run_id)
  const back = messages.findLast(message => message.role === 'tool')
  expect(back?.content).toMatchObject({ text: expect.stringMatching(/^begin 1 .* end 1$/), next_offset: null })
})

test('a thread that is pruned takes its fold along', async () => {
  await using run = await aLongRun()
  await using holdpoint = await run.place.open()
  const before = new Date(Date.now() + 60_000).toISOString()
  await holdpoint.prune({ before, by: 'ana', surface: 'test' })
  expect(run.place.inFile(database => database.prepare('SELECT count(*) AS n FROM folds').all())).toEqual([{ n: 0 }])
})
