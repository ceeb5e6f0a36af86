import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ephemeral, type InferencePart, type Model, type ModelAnswer, redactSecrets } from '../../src/index.ts'
import { advanced, aWorkplace, call, following, started, type Told } from './workplace.ts'

const NONE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

function partsOf(told: readonly Told[], kind: string): Ephemeral[] {
  return told.filter((event): event is Ephemeral => 'ephemeral' in event && event.kind.startsWith(kind))
}

const isLast = ({ kind }: Told) => kind === 'run.finished'

/** A model of one's own: it tells these parts, and then gives the answer of the turn. */
function toldModel(turns: readonly { parts: readonly InferencePart[]; answer: Partial<ModelAnswer> }[]): Model {
  return {
    id: 'test/told',
    async answer({ messages, onPart }) {
      const turn = turns[messages.filter(({ role }) => role === 'assistant').length]
      for (const part of turn?.parts ?? []) onPart(part)
      return { text: '', calls: [], usage: NONE, finish_reason: 'stop', ...turn?.answer }
    },
  }
}

const asked = { id: 'call_1', name: 'A', arguments: '{}', metadata: null }
const begun: InferencePart[] = [
  { kind: 'tool_input.start', data: { call_id: 'call_1', name: 'A' } },
  { kind: 'tool_input.delta', data: { call_id: 'call_1', delta: '{}' } },
]

test('the pieces of a call carry the id that the journal gives it, also if the provider repeats its ids', async () => {
  await using place = await aWorkplace(place => ({ tools: [place.tool('A')] }))
  const model = toldModel([
    { parts: begun, answer: { calls: [asked] } },
    { parts: [...begun, ...begun], answer: { calls: [asked, asked] } },
    { parts: [], answer: { text: 'Done.' } },
  ])
  await using holdpoint = await place.open({ model })
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  await follower.first(isLast)
  const journalled = follower.journal.flatMap(event =>
    event.kind === 'model.answered' ? event.data.calls.map(({ id }) => id) : [],
  )
  expect(journalled).toEqual(['call_1', 'call_1_2', 'call_1_3'])
  const ids = (kind: string) => partsOf(follower.told, kind).map(({ data }) => (data as { call_id: string }).call_id)
  expect(ids('tool_input.start')).toEqual(journalled)
  expect(ids('tool_input.end')).toEqual(journalled)
})

test('a part that a model neither begins nor ends is told with its start and its end', async () => {
  const delta = (text: string): InferencePart => ({ kind: 'text.delta', data: { id: '0', delta: text } })
  const thought: InferencePart = { kind: 'reasoning.delta', data: { id: '0', delta: 'Hm.' } }
  const lost: InferencePart = { kind: 'tool_input.delta', data: { call_id: 'x', delta: '{' } }
  const parts = [thought, delta('Do'), delta(''), lost, delta('ne.')]
  await using place = await aWorkplace({ model: toldModel([{ parts, answer: { text: 'Done.' } }]) })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  await follower.first(isLast)
  expect(partsOf(follower.told, '').map(({ kind, data }) => ({ kind, data }))).toEqual([
    { kind: 'reasoning.start', data: { id: '1.0' } },
    { kind: 'reasoning.delta', data: { id: '1.0', delta: 'Hm.' } },
    { kind: 'text.start', data: { id: '1.0' } },
    { kind: 'text.delta', data: { id: '1.0', delta: 'Do' } },
    { kind: 'text.delta', data: { id: '1.0', delta: 'ne.' } },
    { kind: 'reasoning.end', data: { id: '1.0' } },
    { kind: 'text.end', data: { id: '1.0' } },
  ])
})

test('an inference that is made again tells that what it had told is void', async () => {
  const script = [{ text: 'All is', error: { message: 'cut', retryable: true, times: 1 } }]
  await using place = await aWorkplace({ script })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  await follower.first(isLast)
  const kinds = partsOf(follower.told, '').flatMap(({ kind }) => (kind === 'text.delta' ? [] : [kind]))
  expect(kinds).toEqual(['text.start', 'inference.void', 'model.retrying', 'text.start', 'text.end'])
  expect(partsOf(follower.told, 'inference.void')[0]?.data).toEqual({ because: 'retry' })
})

test('who cancels a model that talks is told that its pieces are void, and nothing of it after', async () => {
  const told = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const model: Model = {
    id: 'test/deaf',
    async answer({ onPart, signal }) {
      onPart({ kind: 'text.delta', data: { id: '0', delta: 'I ' } })
      told.resolve()
      signal.addEventListener('abort', () => stopped.resolve())
      await stopped.promise
      onPart({ kind: 'text.delta', data: { id: '0', delta: 'go on' } })
      return { text: 'I go on', calls: [], usage: NONE, finish_reason: 'stop' }
    },
  }
  await using place = await aWorkplace({ model })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  const advancing = advanced(holdpoint, run.id)
  await told.promise
  await holdpoint.cancel(run.id, { by: 'ana', reason: null })
  await advancing
  await follower.first(isLast)
  expect(partsOf(follower.told, '').map(({ kind }) => kind)).toEqual(['text.start', 'text.delta', 'inference.void'])
})

const COMMAND = "printf 'one: \\342\\202'; printf '\\254'; printf 'oops' >&2; while ! test -e go; do sleep 0.05; done"
const COMMANDS = [{ calls: [{ id: 'tc_1', name: 'run_command', args: { command: COMMAND } }] }, 'Done.']

test('what a command prints is told while it runs, of each stream apart and in whole characters', async () => {
  await using place = await aWorkplace({ script: COMMANDS, tools: ['run_command'], policy: { default: 'auto' } })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  const advancing = advanced(holdpoint, run.id)
  const printed = (stream: string) =>
    partsOf(follower.told, 'tool_output.delta')
      .map(({ data }) => data as { call_id: string; stream: string; delta: string })
      .filter(data => data.stream === stream && data.call_id === 'tc_1')
      .map(({ delta }) => delta)
      .join('')
  await expect.poll(() => [printed('stdout'), printed('stderr')]).toEqual(['one: €', 'oops'])
  expect(follower.told.some(({ kind }) => kind === 'call.finished')).toBe(false)
  await writeFile(join(place.directory, 'go'), '')
  await advancing
})

test('P1: nothing of a result is told in pieces while a plugin has yet to look at it', async () => {
  const tools = ['run_command'] as const
  const plugins = [redactSecrets({ patterns: [/one/] })]
  await using place = await aWorkplace({ script: COMMANDS, tools, plugins, policy: { default: 'auto' } })
  await writeFile(join(place.directory, 'go'), '')
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  await follower.first(isLast)
  expect(partsOf(follower.told, 'tool_output')).toEqual([])
})

test('a tool that prints without end is told only so much of, and nothing once it is over', async () => {
  const late = Promise.withResolvers<() => void>()
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [
      place.tool('A', {
        execute: (_args: unknown, { report }: { report(part: { delta: string }): void }) => {
          for (let i = 0; i < 40; i += 1) report({ delta: 'x'.repeat(64 * 1024) })
          late.resolve(() => report({ delta: 'late' }))
          return 'done'
        },
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  ;(await late.promise)()
  await follower.first(isLast)
  const pieces = partsOf(follower.told, 'tool_output').map(({ data }) => (data as { delta: string }).delta)
  const told = pieces.join('')
  // A follower that does not keep up is told less.
  expect(told.length).toBeLessThanOrEqual(1024 * 1024)
  expect(told).toMatch(/^x+$/)
})
