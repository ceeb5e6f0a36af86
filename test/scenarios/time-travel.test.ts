import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { journalOf } from './journal.ts'
import { aProject, type Finished, type Project } from './project.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'
import { wholeProject } from './whole-project.ts'

/** Has one tool, which leaves a word in `effects.log`; the word `two` needs approval. */
const AGENT = `import { appendFile } from 'node:fs/promises'
import { defineAgent, defineTool } from 'holdpoint'
const leave = defineTool({
  name: 'leave',
  description: 'Leaves a word',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  needsApproval: ({ word }) => word === 'two',
  execute: async ({ word }, { workdir }) => appendFile(workdir + '/effects.log', word + '\\n'),
})
export default defineAgent({ name: 'traveller', tools: [leave], policy: { default: 'auto' } })
`

const usage = { input: 10, output: 1 }
const leaves = (id: string, word: string) => ({ calls: [{ id, name: 'leave', args: { word } }], usage })
const script = [leaves('tc_1', 'one'), leaves('tc_2', 'two'), leaves('tc_3', 'three'), { text: 'Done.', usage }]
const start = ['--agent', 'traveller.mjs', '--pause-on', 'approval', '-o', 'json']

/** Without the call that waits at the end of a run that pauses: it has no result yet. */
function answered<T>(messages: readonly T[], exit: number | null): readonly T[] {
  return exit === 10 ? messages.slice(0, -1) : messages
}

async function aTraveller(): Promise<Project> {
  return aProject({ script, files: { 'traveller.mjs': AGENT } })
}

describe('from a run of four steps with a pause in it', () => {
  let project: Project
  let lived: Snapshot
  let session: string
  let run: string
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let places: any[]

  beforeAll(async () => {
    project = await aTraveller()
    const paused = (await project.holdpoint(...start, 'go')).json
    const done = await project.holdpoint('-c', paused.checkpoint_id, '--approve', 'tc_2', '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { steps_taken: 4, usage: { total_tokens: 44 } } })
    session = paused.session_id
    run = paused.run_id
    places = (await project.holdpoint('checkpoints', session, '--json')).json
    lived = await snapshotOf(project)
  })
  beforeEach(() => lived.restore())
  afterAll(async () => {
    await lived[Symbol.asyncDispose]()
    await project[Symbol.asyncDispose]()
  })

  /** What a fork from the place at `index` did: its document, and the effects that it added. */
  async function fork(index: number, ...more: string[]): Promise<Finished & { effects: string[] }> {
    const before = (await project.effects()).length
    const finished = await project.holdpoint('-c', places[index].checkpoint_id, '--fork', '-o', 'json', ...more)
    return { ...finished, json: finished.json, effects: (await project.effects()).slice(before) }
  }

  async function oldRows(): Promise<unknown> {
    const { runs = [], holds = [] } = (await wholeProject(project)).tables as Record<string, Record<string, unknown>[]>
    return {
      journal: journalOf(project).filter(({ thread }) => thread === session),
      run: runs.filter(({ id }) => id === run),
      holds: holds.filter(({ thread_id }) => thread_id === session),
    }
  }

  test('every place that a fork can begin from is listed, oldest first', () => {
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const checkpoint_id = expect.stringMatching(/^cp_[0-9a-z]+$/)
    const known = { checkpoint_id, seq: expect.any(Number), at, run_id: run }
    expect(places).toEqual([
      { ...known, reason: 'step', steps: 0, steps_taken: 0 },
      { ...known, reason: 'step', steps: 1, steps_taken: 1 },
      { ...known, reason: 'pause', steps: 2, steps_taken: 2 },
      { ...known, reason: 'step', steps: 2, steps_taken: 2 },
      { ...known, reason: 'step', steps: 3, steps_taken: 3 },
      { ...known, reason: 'end', steps: 4, steps_taken: 4 },
    ])
    const seqs = places.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  })

  test('people get the list as a table', async () => {
    const { exit, stdout, stderr } = await project.holdpoint('checkpoints', session)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    const [head, ...lines] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^CHECKPOINT\s+SEQ\s+AT\s+RUN\s+REASON\s+STEPS$/)
    expect(lines.map(line => line.split(/\s+/)[0])).toEqual(places.map(({ checkpoint_id }) => checkpoint_id))
  })

  const forks: readonly [
    title: string,
    index: number,
    args: string[],
    exit: number,
    steps: number,
    effects: string[],
  ][] = [
    ['its beginning', 0, [], 10, 2, ['one']],
    ['behind its first step', 1, [], 10, 2, []],
    ['its pause', 2, [], 10, 2, []],
    ['its pause, approved again', 2, ['--approve', 'tc_2'], 0, 4, ['two', 'three']],
    ['its pause, decided otherwise', 2, ['--reject', 'tc_2'], 0, 4, ['three']],
    ['behind its second step', 3, [], 0, 4, ['three']],
    ['behind its third step', 4, [], 0, 4, []],
  ]

  test.for(forks)(
    'a fork from %s does what comes after, and only that',
    async ([, index, args, exit, steps, effects]) => {
      const before = await oldRows()
      const forked = await fork(index, ...args)
      expect(forked).toMatchObject({
        exit,
        stderr: '',
        effects,
        // What the past cost is not forgotten.
        json: { outcome: exit === 0 ? 'completed' : 'paused', steps_taken: steps, usage: { total_tokens: steps * 11 } },
      })
      expect([forked.json.session_id, forked.json.run_id]).not.toEqual(expect.arrayContaining([session, run]))
      expect(historyFaults(answered(await project.messages(forked.json.session_id), exit))).toEqual([])
      expect(await oldRows()).toEqual(before)
    },
  )

  const steps = [0, 1, 3, 4]

  test.for(steps)('a text makes the fork from step place %i go on with that message', async index => {
    const before = await oldRows()
    const past = (await project.holdpoint('show', places[index].checkpoint_id, '--json')).json
    const forked = await fork(index, 'do it differently')
    expect(forked).toMatchObject({ exit: index > 1 ? 0 : 10, stderr: '' })
    const messages = await project.messages(forked.json.session_id)
    // The past is one question, and an answer with its result for each step.
    expect(messages[1 + past.steps_taken * 2]).toEqual({ role: 'user', content: 'do it differently', author: 'ana' })
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2)
    expect(historyFaults(answered(messages, forked.exit))).toEqual([])
    expect(await oldRows()).toEqual(before)
  })

  test('a text at the pause is refused, since its call needs a decision, and makes no thread', async () => {
    const before = await wholeProject(project)
    expect(await fork(2, 'do it differently')).toMatchObject({ exit: 2, json: { error: { code: 'calls_pending' } } })
    expect(await wholeProject(project)).toEqual(before)
  })

  test('the end can be forked with a text alone', async () => {
    expect(await fork(5)).toMatchObject({ exit: 2, json: { error: { code: 'already_completed' } } })
    const forked = await fork(5, 'once more')
    expect(forked).toMatchObject({ exit: 0, effects: [], json: { final_message: '(script ended)' } })
  })

  test('a fork can be forked, from what it shares with the old session and from its own', async () => {
    const first = await fork(3, 'do it differently')
    const own = (await project.holdpoint('checkpoints', first.json.session_id, '--json')).json
    // Its own begin with its thread; the past keeps the names that it had.
    const named = own.filter(({ checkpoint_id }: { checkpoint_id: string }) =>
      checkpoint_id.startsWith(`cp_${first.json.session_id.slice('th_'.length)}`),
    )
    expect(named.map(({ reason }: { reason: string }) => reason)).toEqual(['step', 'step', 'step', 'end'])
    const second = await project.holdpoint('-c', named[0].checkpoint_id, '--fork', '-o', 'json', 'or like this')
    expect(second).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    const said = (await project.messages(second.json.session_id)).filter(({ role }) => role === 'user')
    expect(said.map(({ content }) => content)).toEqual(['go', 'or like this'])
  })
})

test('a fork from the middle of a run that waits leaves that waiting', async () => {
  await using project = await aTraveller()
  const paused = (await project.holdpoint(...start, 'go')).json
  const [first] = (await project.holdpoint('checkpoints', paused.session_id, '--json')).json
  const forked = await project.holdpoint('-c', first.checkpoint_id, '--fork', '-o', 'json', 'quickly')
  expect(forked).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  expect(await project.effects()).toEqual(['one', 'one'])
  for (const { checkpoint_id } of [paused, forked.json])
    expect(await project.holdpoint('-c', checkpoint_id, '--approve', 'tc_2')).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['one', 'one', 'two', 'three', 'two', 'three'])
})

test('a limit counts what the past of a fork has used', async () => {
  await using project = await aTraveller()
  const stopped = await project.holdpoint('--agent', 'traveller.mjs', '--max-steps', '3', '-o', 'json', 'go')
  expect(stopped).toMatchObject({ exit: 1, json: { outcome: 'stopped', steps_taken: 3 } })
  const places = (await project.holdpoint('checkpoints', stopped.json.session_id, '--json')).json
  const second = places.find(({ steps }: { steps: number }) => steps === 2)
  const forked = await project.holdpoint('-c', second.checkpoint_id, '--fork', '-o', 'json')
  expect(forked).toMatchObject({ exit: 1, json: { outcome: 'stopped', steps_taken: 3, usage: { total_tokens: 33 } } })
  expect(await project.effects()).toEqual(['one', 'two', 'three', 'three'])
})

test('a session of two runs tells which run each of its checkpoints belongs to', async () => {
  await using project = await aProject({ script: ['First.', 'Second.'] })
  const first = (await project.holdpoint('-o', 'json', 'go')).json
  const second = (await project.holdpoint('-c', first.checkpoint_id, '-o', 'json', 'and then?')).json
  const places = (await project.holdpoint('checkpoints', first.session_id, '--json')).json
  expect(places).toMatchObject([
    { run_id: first.run_id, reason: 'step', steps: 0 },
    { run_id: first.run_id, reason: 'end', steps: 1, checkpoint_id: first.checkpoint_id },
    { run_id: second.run_id, reason: 'step', steps: 0 },
    { run_id: second.run_id, reason: 'end', steps: 1, checkpoint_id: second.checkpoint_id },
  ])
  const forked = await project.holdpoint('-c', places[2].checkpoint_id, '--fork', '-o', 'json', 'or rather?')
  expect(forked).toMatchObject({ exit: 0, json: { final_message: 'Second.' } })
  const messages = await project.messages(forked.json.session_id)
  expect(messages.map(({ content }) => content)).toEqual(['go', 'First.', 'and then?', 'or rather?', 'Second.'])
})

const wrong: readonly [title: string, args: string[], code: string, hint: string][] = [
  ['an unknown session', ['th_0000000000000000'], 'unknown_session', 'holdpoint runs'],
  ['what is no session', ['run_0000000000000000'], 'unknown_session', 'holdpoint runs'],
  ['no session', [], 'invalid_arguments', 'holdpoint threads'],
  ['two sessions', ['th_0000000000000000', 'th_0000000000000001'], 'invalid_arguments', 'holdpoint threads'],
]

test.for(wrong)('a list of the checkpoints of %s is refused', async ([, args, code, hint]) => {
  await using project = await aProject({ script: ['Done.'] })
  await project.holdpoint('go')
  const refused = await project.holdpoint('checkpoints', ...args, '-o', 'json')
  const error = { code, hint: expect.stringContaining(hint) }
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error } })
})
