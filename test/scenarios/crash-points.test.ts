import { resolve } from 'node:path'
import { afterAll, type ExpectStatic, expect, test } from 'vitest'
import { openHoldpoint } from '../../src/index.ts'
import { withCrash } from '../disk/power-cut.ts'
import { DiskShim } from '../disk/shim.ts'
import { disagreementsIn } from './agreement.ts'
import { asTable, CrashSample, namesIn, STORY_MS, tableOf } from './crash-table.ts'
import { historyFaults } from './history-faults.ts'
import { journalOf } from './journal.ts'
import { aProject, effect, type Finished, listed, type Project, type ProjectOptions } from './project.ts'
import { snapshotOf } from './snapshot.ts'

const PRELOAD = resolve(import.meta.dirname, 'crash-at-commit.mjs')
const PAUSING = ['-a', '--pause-on-approval', '-o', 'json']

/** The process is killed at each durable write in turn; each time a person picks up what is left and ends the run. */
interface Story {
  readonly project: ProjectOptions
  /** What happens before; `killed` names the write at which that is killed. */
  readonly before: readonly { readonly act: Act; readonly killed?: string }[]
  /** What is killed. */
  readonly act: Act
  /** What the person says to pending calls, questions and texts, whenever they are asked. */
  readonly says: readonly string[]
  /** What the run leaves in `effects.log`, in whatever order. */
  readonly effects: readonly string[]
  /** Whether calls go on beside one that waits, so that its pause comes later. */
  readonly asks?: 'at once' | 'beside'
}

/** Arguments, from the newest checkpoint. */
type Act = (checkpoint: string) => readonly string[]

const AUTO = { default: 'auto' }
const THREE = ['--approve', 'tc_1', '--reject', 'tc_2', '--approve', 'tc_3', '--reason', 'not that one']

const EDIT = ['--edit', 'tc_1={"command":"echo edited >> effects.log"}']
/** Its calls do not wait for one another. */
const EACH_BY_ITSELF = `export const agent = {
  name: 'tester',
  holdScope: 'call',
  policy: { rules: [{ tool: 'run_command', match: { command: '*two*' }, policy: 'prompt' }], default: 'auto' },
}`

const start: Act = () => [...PAUSING, 'go']
const approve: Act = checkpoint => ['-c', checkpoint, '--approve', 'tc_1', '-o', 'json']
const plain: Act = checkpoint => ['-c', checkpoint, '-o', 'json']
const DEPLOY = [{ text: 'Soon.', calls: [effect('tc_1', 'applied')] }, 'Done.']
const IN_DOUBT = [{ act: start }, { act: approve, killed: 'after:append(call.started)' }, { act: plain }]

const STORIES: Readonly<Record<string, Story>> = {
  'from the start to a pause': {
    project: { script: DEPLOY },
    before: [],
    act: start,
    says: ['--approve', 'tc_1'],
    effects: ['applied'],
  },
  'from an approval to the end': {
    project: { script: DEPLOY },
    before: [{ act: start }],
    act: approve,
    says: ['--approve', 'tc_1'],
    effects: ['applied'],
  },
  'from an approval to the next pause': {
    project: { script: [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }, 'Done.'] },
    before: [{ act: start }],
    act: approve,
    says: ['--approve-all'],
    effects: ['one', 'two'],
  },
  'through a batch of three with one rejection': {
    project: {
      script: [{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two'), effect('tc_3', 'three')] }, 'Done.'],
    },
    before: [{ act: start }],
    act: checkpoint => ['-c', checkpoint, ...THREE, '-o', 'json'],
    says: THREE,
    effects: ['one', 'three'],
  },
  'from the answer to a text pause to the end': {
    project: { script: ['Shall I?', { calls: [effect('tc_1', 'applied')] }, 'Done.'], policy: AUTO },
    before: [{ act: start }],
    act: checkpoint => ['-c', checkpoint, '-o', 'json', 'yes, proceed'],
    says: ['yes, proceed'],
    effects: ['applied'],
  },
  'from accepting a text as final to the end': {
    project: { script: ['All is well.'] },
    before: [{ act: start }],
    act: checkpoint => ['-c', checkpoint, '--finish', '-o', 'json'],
    says: ['--finish'],
    effects: [],
  },
  'from the answer to a question to the end': {
    project: {
      script: [
        { calls: [{ id: 'tc_1', name: 'ask_human', args: { question: 'Which one?' } }, effect('tc_2', 'applied')] },
        'Done.',
      ],
      policy: AUTO,
    },
    before: [{ act: start }],
    act: checkpoint => ['-c', checkpoint, '--answer', 'tc_1=the blue one', '-o', 'json'],
    says: ['--answer', 'tc_1=the blue one'],
    effects: ['applied'],
  },
  'from running again what was in doubt to the end': {
    project: { script: DEPLOY },
    before: IN_DOUBT,
    act: approve,
    says: [],
    effects: ['applied'],
  },
  'from calling failed what was in doubt to the end': {
    project: { script: DEPLOY },
    before: IN_DOUBT,
    act: checkpoint => ['-c', checkpoint, '--reject', 'tc_1', '-o', 'json'],
    says: [],
    effects: [],
  },
  'from an edit to the end': {
    project: { script: DEPLOY },
    before: [{ act: start }],
    act: checkpoint => ['-c', checkpoint, ...EDIT, '-o', 'json'],
    says: EDIT,
    effects: ['edited'],
  },
  'through a file that is written, which does no harm a second time': {
    project: {
      script: [
        { calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'effects.log', content: 'kept' } }] },
        'Done.',
      ],
    },
    before: [{ act: start }],
    act: approve,
    says: ['--approve', 'tc_1'],
    effects: ['kept'],
  },
  'through a batch of which one call waits while another one runs': {
    project: {
      script: [{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }, 'Done.'],
      files: { 'agent.mjs': EACH_BY_ITSELF },
    },
    before: [],
    act: () => ['--agent', 'agent.mjs', ...PAUSING, 'go'],
    says: ['--approve', 'tc_2'],
    effects: ['one', 'two'],
    asks: 'beside',
  },
  'through a run of three calls that need no approval': {
    project: {
      script: [{ calls: [effect('tc_1', 'one'), effect('tc_2', 'two'), effect('tc_3', 'three')] }, 'Done.'],
      policy: AUTO,
    },
    before: [],
    act: () => ['-a', '-o', 'json', 'go'],
    says: [],
    effects: ['one', 'two', 'three'],
  },
}

const crashes = Object.entries(STORIES)
const resumed = crashes.filter(([, { before }]) => before.length > 0)
const tableNamed = (title: string): string => `command line ${title}`
const samples = {
  any: new CrashSample(crashes.map(([title]) => tableNamed(title))),
  resumed: new CrashSample(resumed.map(([title]) => tableNamed(title))),
}
const shim = new DiskShim()
afterAll(() => shim[Symbol.dispose]())

test.concurrent.for(crashes)(
  'P3, P4: killed at any write %s, the conversation can be read and the next plain -c goes on',
  { timeout: STORY_MS },
  async ([title, story], { expect: own }) => {
    await everyCrash(story, {
      title,
      expect: own,
      sample: samples.any,
      read: true,
      first: checkpoint => (checkpoint === null ? story.act('') : ['-c', checkpoint, '-o', 'json']),
    })
  },
)

test.concurrent.for(resumed)(
  'P2, P4: killed at any write %s, the same command again goes on',
  { timeout: STORY_MS },
  async ([title, story], { expect: own }) =>
    everyCrash(story, {
      title,
      expect: own,
      sample: samples.resumed,
      read: false,
      first: checkpoint => story.act(checkpoint ?? ''),
    }),
)

interface Afterwards {
  /** Of the story. */
  readonly title: string
  /** Of the test. */
  readonly expect: ExpectStatic
  readonly sample: CrashSample
  /** Whether the person looks at the conversation before they go on. */
  readonly read: boolean
  /** What the person does first: from the checkpoint they were told of, or else the one that `runs` lists. */
  readonly first: (checkpoint: string | null) => readonly string[]
}

async function everyCrash(story: Story, afterwards: Afterwards): Promise<void> {
  await using project = await aProject(story.project)
  const checkpoint = await arrange(project, story)
  await using snapshot = await snapshotOf(project)
  const whole = await conversation(project, story, story.act(checkpoint ?? ''))
  expect(whole.effects).toEqual(story.effects)
  await snapshot.restore()
  const names = await writesOf(project, story.act(checkpoint ?? ''))
  const table = tableNamed(afterwards.title)
  await afterwards.expect(asTable(names)).toMatchFileSnapshot(tableOf(table))

  for (const crash of afterwards.sample.crashesAt(table, names.length)) {
    const at = `${crash} ${names[Number(crash.split(':')[1]) - 1]}`
    await snapshot.restore()
    const killed = await killedAt(project, story.act(checkpoint ?? ''), crash)
    expect(killed, at).toMatchObject({ signal: 'SIGKILL', stdout: '' })
    const decided = decisionsIn(project)
    await expectAgreement(project, story, at)
    if (afterwards.read) await expectReadable(project, at)
    const first = afterwards.first(checkpoint ?? (await newest(project)))
    const now = await conversation(project, story, first)
    expectSame(now, whole, at)
    expectAskedOnce(now.told, decided, at)
    expectKept(project, decided, at)
    expectOnce(project, at)
    await expectAgreement(project, story, at)
    expect(project.exists('.holdpoint', 'session', 'pause.json'), at).toBe(false)
  }
}

/** The durable writes of an undisturbed process. */
async function writesOf(project: Project, args: readonly string[]): Promise<string[]> {
  await project.run(args, { node: ['--import', PRELOAD], env: { CRASH_POINTS: project.path('points') } })
  return namesIn(project.path('points'))
}

async function arrange(project: Project, story: Story): Promise<string | null> {
  let checkpoint: string | null = null
  for (const { act, killed } of story.before) {
    const args = act(checkpoint ?? '')
    if (killed) expect(await killedAt(project, args, killed)).toMatchObject({ signal: 'SIGKILL' })
    else checkpoint = (await project.run(args)).json.checkpoint_id
  }
  return checkpoint
}

async function killedAt(project: Project, args: readonly string[], at: string): Promise<Finished> {
  const store = project.path('.holdpoint', 'holdpoint.db')
  return withCrash(shim, { at, store }, env => project.run(args, { node: ['--import', PRELOAD], env }))
}

interface Conversation {
  readonly told: readonly Finished[]
  readonly effects: readonly string[]
  readonly messages: readonly unknown[]
}

/** As if nothing had happened. */
function expectSame(now: Conversation, whole: Conversation, at: string): void {
  expect(now.effects, at).toEqual(whole.effects)
  expect(now.messages, at).toEqual(whole.messages)
}

/** Nobody is asked about the same thing twice, nor about what they had decided. */
function expectAskedOnce(told: readonly Finished[], decided: ReadonlyMap<string, unknown>, at: string): void {
  const asked = told.flatMap(({ exit, json }) => (exit === 10 ? holdIds(json.pause_reason) : []))
  expect(new Set(asked).size, `${at}: ${asked}`).toBe(asked.length)
  expect(
    asked.filter(hold => decided.has(hold)),
    at,
  ).toEqual([])
}

async function expectReadable(project: Project, at: string): Promise<void> {
  const [run] = await listed(project, 'runs')
  if (run) expect((await project.messages(run.session_id)).at(0), at).toMatchObject({ role: 'user', content: 'go' })
}

/** P10: at any moment journals, rows and the audit log tell of the same things. */
async function expectAgreement(project: Project, { asks = 'at once' }: Story, at: string): Promise<void> {
  expect(await disagreementsIn(project.path('.holdpoint', 'holdpoint.db'), { asks }), at).toEqual([])
}

/** What was recorded when the process died is recorded still. */
function expectKept(project: Project, decided: ReadonlyMap<string, unknown>, at: string): void {
  const afterwards = decisionsIn(project)
  for (const [hold, decision] of decided) expect(afterwards.get(hold), at).toEqual(decision)
}

/** The person does as the story says, and answers what is in doubt by looking whether it happened. */
async function conversation(project: Project, story: Story, first: readonly string[]): Promise<Conversation> {
  const told: Finished[] = []
  for (let next: readonly string[] | null = first; next !== null; ) {
    const finished: Finished = await project.run(next)
    told.push(finished)
    expect(told.length, finished.stdout).toBeLessThan(8)
    next = await reaction(project, story, finished)
  }
  const [session, ...others] = new Set(journalOf(project).map(({ thread }) => thread))
  expect(others).toEqual([])
  const messages = await messagesOf(project, session ?? '')
  expect(historyFaults(messages)).toEqual([])
  return { told, effects: (await project.effects()).toSorted(inOrderOf(story.effects)), messages: messages.map(shape) }
}

async function reaction(project: Project, story: Story, { exit, json }: Finished): Promise<string[] | null> {
  if (exit === 0) return null
  if (exit === 2) {
    if (json.error.code === 'already_completed') return null
    expect(json).toMatchObject({ error: { code: 'superseded' }, checkpoint_id: expect.stringMatching(/^cp_/) })
    return ['-c', json.checkpoint_id, '-o', 'json']
  }
  expect({ exit, json }).toMatchObject({ exit: 10, json: { outcome: 'paused' } })
  const { type, pending_tool_calls: pending } = json.pause_reason
  if (type !== 'outcome_unknown') return ['-c', json.checkpoint_id, ...story.says, '-o', 'json']
  const doubts = pending.filter((call: PendingCall) => call.in_doubt)
  expect(doubts).toHaveLength(1)
  const known = truth(doubts[0], story, await project.effects())
  const others = pending.some((call: PendingCall) => call.requires_approval && !call.in_doubt) ? story.says : []
  return ['-c', json.checkpoint_id, ...known, ...others, '-o', 'json']
}

interface PendingCall {
  readonly requires_approval: boolean
  readonly in_doubt?: true
}

/** What a person says who looked whether it happened, and knows whether it should. */
function truth(call: Finished['json'], story: Story, happened: readonly string[]): string[] {
  const word = call.arguments.command.split(' ')[1]
  if (happened.includes(word)) return ['--answer', `${call.id}={"exit_code":0}`]
  return [story.effects.includes(word) ? '--approve' : '--reject', call.id]
}

function holdIds({ pending_tool_calls, questions }: Finished['json']): string[] {
  return [...pending_tool_calls, ...questions].flatMap(({ hold_id }) => hold_id ?? [])
}

/** Of each kind of thing that may happen only once to a call, it happened once. */
function expectOnce(project: Project, point: string): void {
  const events = journalOf(project)
  const keysOf = (kind: string, key: string) =>
    events.filter(event => event.kind === kind).map(event => event.data[key])
  const unique = [
    keysOf('call.finished', 'call_id'),
    keysOf('hold.decided', 'hold_id'),
    keysOf('hold.opened', 'hold_id'),
  ]
  const approvals = events.filter(event => event.kind === 'hold.opened' && event.data.kind !== 'in_doubt')
  unique.push(approvals.map(event => event.data.call_id ?? event.data.hold_id))
  for (const keys of unique) expect(new Set(keys).size, `${point}: ${keys}`).toBe(keys.length)
  expect(keysOf('run.finished', 'termination'), point).toEqual([{ type: 'natural_end' }])
  const keys = Map.groupBy(
    events.filter(event => event.kind === 'call.started'),
    event => event.data.call_id,
  )
  for (const starts of keys.values()) {
    expect(
      starts.map(({ data }) => data.attempt),
      point,
    ).toEqual(starts.map((_, index) => index + 1))
    expect(new Set(starts.map(({ data }) => data.idempotency_key)).size, point).toBe(1)
  }
}

function decisionsIn(project: Project): Map<string, unknown> {
  const decided = journalOf(project).filter(event => event.kind === 'hold.decided')
  return new Map(decided.map(({ data }) => [data.hold_id, data.decision]))
}

/** A message without what differs from run to run: the result of a call that somebody had to look up. */
function shape(message: Finished['json']): unknown {
  return message.role === 'tool' && !message.is_error ? { ...message, content: null } : message
}

async function messagesOf(project: Project, session: string): Promise<Finished['json'][]> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  return [...(await holdpoint.thread(session)).messages]
}

function inOrderOf(words: readonly string[]): (a: string, b: string) => number {
  return (a, b) => words.indexOf(a) - words.indexOf(b)
}

async function newest(project: Project): Promise<string | null> {
  return (await listed(project, 'runs'))[0]?.checkpoint_id ?? null
}
