import { existsSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Hold } from '../../../src/core/hold/hold.ts'
import { TASK_RESTS } from '../../../src/core/task/task.ts'
import { openApp } from '../../../src/hosts/compose/compose.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import type { TaskSummary } from '../../../src/runtime/face/tasks.ts'
import { patienceMs } from '../../patience.ts'
import { disagreementsIn } from '../agreement.ts'
import { crashingIn } from '../crash-in.ts'
import { asTable, CrashSample, isWhole, namesIn, tableOf } from '../crash-table.ts'
import { historyFaults } from '../history-faults.ts'
import { textOf } from '../mcp/clients.ts'
import { overStdio } from '../mcp/mcp-process.ts'
import { until } from '../processes.ts'
import { aProject, command, effect, listed, type Project, type ProjectOptions } from '../project.ts'
import { snapshotOf } from '../snapshot.ts'
import { falseTasks, processesOn, unwatched } from './task-faults.ts'

/** The task that a story is about, and what it waits for. */
interface Scene {
  readonly project: Project
  readonly task: string
  readonly run: string | null
}

type Environment = Readonly<Record<string, string>>
type Act = (scene: Scene, env: Environment) => Promise<void>

/** Somebody has tasks do something, and one of the processes that take part is killed at each of its durable writes. */
interface Story {
  readonly project: ProjectOptions
  /** What happens before: the id of the task that it is about. */
  readonly before?: (project: Project) => Promise<string>
  /** What happens. Somebody who does not know how far it came does it again, unless it starts something that is there. */
  readonly act: Act
  /** Those that are killed: words of their command lines, as crash-in.mjs knows them. Of several, whichever comes there. */
  readonly kills: readonly string[]
  /** What they write depends on who is quicker, so that not every crash comes to pass. */
  readonly varies?: true
  /** Which of them `npm test` kills. */
  readonly sample?: string
  readonly starts?: true
  readonly effects: readonly string[]
  /** How it may end where somebody was killed; the first is how it ends undisturbed. */
  readonly ends: readonly string[]
}

const CHILD = [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Child done.']
const held: ProjectOptions = { script: CHILD, policy: { tools: { run_command: 'prompt' } } }
const free = (script: readonly unknown[]): ProjectOptions => ({ script, policy: { default: 'auto' } })
const FOREVER = ['sh', '-c', 'echo ran >> effects.log; while :; do sleep 0.1; done']

const over =
  (name: string, args: (scene: Scene) => Record<string, unknown> | Promise<Record<string, unknown>>): Act =>
  async (scene, env) => {
    // One that is killed answers nothing.
    const connected = await overStdio(scene.project, 'latest', { env }).catch(() => null)
    const answer = await connected?.client.callTool({ name, arguments: await args(scene) }).catch(() => null)
    await connected?.[Symbol.asyncDispose]()
    if (answer?.isError) expect(TOLD_LATER).toContain(textOf(answer).error.code)
  }

const says =
  (words: (scene: Scene) => readonly string[] | Promise<readonly string[]>): Act =>
  async (scene, env) => {
    const { exit, signal, stdout, stderr } = await scene.project.run([...(await words(scene)), '--json'], { env })
    if (signal !== null) return
    expect(stderr).toBe('')
    if (exit === 2) expect(TOLD_LATER, stdout).toContain(JSON.parse(stdout).error.code)
  }

/** What whoever does it again may be told. */
const TOLD_LATER = [
  ...['already_decided', 'not_paused', 'nothing_to_go_on_with', 'task_over', 'superseded', 'run_done', 'hold_decided'],
  ...['unknown_hold', 'hold_withdrawn', 'nothing_pending'],
]

async function started(
  project: Project,
  name: string,
  args: Record<string, unknown>,
  env: Environment = {},
): Promise<string> {
  await using connected = await overStdio(project, 'latest', { env })
  const { client } = connected
  const { structuredContent } = await client.callTool({ name, arguments: args })
  return (structuredContent as { task_id: string }).task_id
}

async function paused(project: Project): Promise<string> {
  const task = await started(project, 'subagent_task', { prompt: 'go' })
  expect((await project.holdpoint('tasks', 'wait', task)).exit).toBe(10)
  return task
}

/** Starts it where it is not there yet, and cancels it as soon as it runs, or has not come so far. */
const cancelled =
  (name: string, args: Record<string, unknown>): Act =>
  async (scene, env) => {
    const { project } = scene
    const [known] = await listed(project, 'tasks')
    const task = known?.task_id ?? (await started(project, name, args, env))
    await until(() => project.exists('effects.log'), 2_000).catch(() => {})
    await says(() => ['tasks', 'cancel', task])(scene, env)
  }

/** Decided, and nobody has gone on with it. */
async function ready(project: Project): Promise<string> {
  const task = await paused(project)
  const env = crashingIn('approve', { CRASH_AT: 'after:decide(hold.decided)' })
  expect((await project.run(['approve', 'c1'], { env })).signal).toBe('SIGKILL')
  return task
}

const decisions = [{ tool_call_id: 'c1', approved: true }]
const resume = says(({ task }) => ['tasks', 'resume', task, '--approve', 'c1'])
const goOn = says(({ task }) => ['tasks', 'resume', task])
const completed = ['completed natural_end']

const DELEGATES = [
  {
    text: 'I delegate.',
    calls: [
      { id: 'p1', name: 'subagent_task', args: { prompt: 'go', model: 'script:child.json', tools: ['run_command'] } },
      { id: 'p2', name: 'run_command_task', args: { argv: ['sh', '-c', 'echo ran >> effects.log'] } },
    ],
  },
  'Delegated.',
]

/** Who dies. */
const NAMES: Readonly<Record<string, string>> = {
  mcp: 'the MCP server',
  approve: 'whoever approves',
  tasks: 'whoever uses the command line',
  cancel: 'whoever ends its run',
  '-a': 'the first agent',
  'supervise.js': 'the supervisor',
  '--attend': 'the process of the agent',
  'mcp supervise.js': 'the MCP server and the supervisor',
  'work --attend': 'whoever goes on',
}

const STORIES: Readonly<Record<string, Story>> = {
  'a command that a client starts': {
    project: held,
    act: over('run_command_task', () => ({ argv: ['sh', '-c', 'echo ran >> effects.log'] })),
    kills: ['mcp', 'supervise.js'],
    starts: true,
    effects: ['ran'],
    // Nobody knows how far a command came over which nobody watched.
    ends: ['completed', 'failed'],
  },
  'an agent that a client starts': {
    project: held,
    act: over('subagent_task', () => ({ prompt: 'go' })),
    kills: ['mcp', 'supervise.js', '--attend', 'mcp supervise.js'],
    sample: 'supervise.js',
    starts: true,
    effects: ['applied'],
    // Its run and its task are one write: no kill leaves a run that is no task's.
    ends: completed,
  },
  'a task that a client resumes': {
    project: held,
    before: paused,
    act: over('resume_task', ({ task }) => ({ task_id: task, tool_decisions: decisions })),
    kills: ['mcp'],
    effects: ['applied'],
    ends: completed,
  },
  'a hold that a client decides': {
    project: held,
    before: paused,
    act: over('decide_hold', async ({ project }) => ({
      hold_id: (await project.holdpoint('holds', '--json')).json[0]?.id ?? 'hold_gone',
      verdict: 'approve',
    })),
    kills: ['mcp'],
    effects: ['applied'],
    ends: completed,
  },
  'a hold that is approved on the command line': {
    project: held,
    before: paused,
    act: says(() => ['approve', 'c1']),
    kills: ['approve'],
    sample: 'approve',
    effects: ['applied'],
    ends: completed,
  },
  'a task that is resumed on the command line': {
    project: held,
    before: paused,
    act: resume,
    kills: ['tasks', 'supervise.js', '--attend'],
    sample: '--attend',
    effects: ['applied'],
    ends: completed,
  },
  'a task that is cancelled while it waits': {
    project: held,
    before: paused,
    act: over('cancel_task', ({ task }) => ({ task_id: task })),
    kills: ['mcp'],
    effects: [],
    ends: ['cancelled cancelled'],
  },
  'an agent that is cancelled while its command runs': {
    project: free([{ calls: [command('c1', 'echo ran >> effects.log; sleep 30')] }, 'Done.']),
    act: cancelled('subagent_task', { prompt: 'go' }),
    varies: true,
    kills: ['tasks', '--attend', 'supervise.js'],
    effects: ['ran'],
    ends: ['cancelled cancelled'],
  },
  'a command that is cancelled while it runs': {
    project: held,
    act: cancelled('run_command_task', { argv: FOREVER }),
    kills: ['tasks', 'supervise.js'],
    effects: ['ran'],
    ends: ['cancelled', 'failed'],
  },
  'a command that runs out of time': {
    project: held,
    act: over('run_command_task', () => ({ argv: FOREVER, timeout_seconds: 0.5 })),
    kills: ['supervise.js'],
    starts: true,
    effects: ['ran'],
    ends: ['timed_out', 'failed'],
  },
  'an agent that runs out of time': {
    project: free([{ calls: [command('c1', 'echo ran >> effects.log; sleep 30')] }, 'Done.']),
    act: over('subagent_task', () => ({ prompt: 'go', timeout_seconds: 1 })),
    kills: ['supervise.js', 'cancel'],
    starts: true,
    effects: ['ran'],
    ends: ['timed_out cancelled', 'cancelled cancelled', 'completed natural_end'],
  },
  'an agent that starts an agent and a command': {
    project: {
      policy: { default: 'auto', tools: { run_command: 'prompt' } },
      files: { 'parent.json': JSON.stringify(DELEGATES), 'child.json': JSON.stringify(CHILD) },
    },
    act: async ({ project }, env) => {
      const tools = ['subagent_task', 'run_command_task', 'run_command'].flatMap(name => ['-t', name])
      await project.run(['-a', '--model', 'script:parent.json', ...tools, '-o', 'json', 'go'], { env })
    },
    kills: ['-a'],
    starts: true,
    effects: ['applied', 'ran'],
    ends: [
      'natural_end, completed, completed natural_end',
      // Killed between the command's task and its supervisor.
      'natural_end, completed natural_end, failed',
    ],
  },
  'a task that goes on beside a worker': {
    project: held,
    before: ready,
    act: async (scene, env) => {
      await Promise.all([goOn(scene, env), says(() => ['work', '--once'])(scene, env)])
    },
    kills: ['work --attend'],
    effects: ['applied'],
    ends: completed,
  },
}

const cases = Object.entries(STORIES).flatMap(([title, story]) =>
  story.kills
    .filter(killed => isWhole || killed === story.sample)
    .map(killed => [`${title}, ${NAMES[killed] ?? killed} killed`, killed, story] as const),
)

const sample = new CrashSample(cases.map(([title]) => `tasks ${title}`))

test.for(cases)(
  'P2, P3, P4, P10: %s at any durable write: it comes to its end, each effect once, and all that tells of it is true',
  { timeout: 15 * patienceMs() },
  async ([title, killed, story]) => {
    await using project = await aProject(story.project)
    const scene = await arrange(project, story)
    await using snapshot = await snapshotOf(project)
    const points = `${project.directory}-points`
    const dying = (how: Environment) => story.act(scene, crashingIn(killed, { CRASH_POINTS: points, ...how }))
    await dying({})
    await until(() => processesOn(project.directory).length === 0)
    const isSteady = !killed.includes(' ') && !story.varies
    const names = namesIn(points)
    rmSync(points)
    if (isSteady) await expect(asTable(names)).toMatchFileSnapshot(tableOf(`tasks ${title}`))
    const whole = await endOf(scene, story)
    expect(whole).toEqual({ effects: story.effects, end: story.ends[0] })
    for (const crash of isSteady ? sample.crashesAt(`tasks ${title}`, names.length) : sidesOf(names)) {
      const number = Number(crash.replace(/^\w+:/, ''))
      const at = `${crash} ${names[number - 1] ?? ''} ${killed}`
      await snapshot.restore()
      await dying({ CRASH_AT: crash })
      if (isSteady) await until(() => existsSync(points) && namesIn(points).length >= number)
      rmSync(points, { force: true })
      const now = await endOf(scene, story, at)
      expect(story.ends, `${at}: ${JSON.stringify(now)}`).toContain(now.end)
      // What is stopped may not have come so far; what is completed did it all, and once.
      const isWhole = !/cancelled|failed|timed_out/.test(now.end)
      expect(now.effects, at).toEqual(story.effects.filter(each => isWhole || now.effects.includes(each)))
    }
  },
)

const CHILD_IS_STARTED = 'start(run.started, message.received, checkpoint.named, a task)'

test.each(['before', 'after'])(
  'P3: an agent that is killed %s it starts another one leaves no run without its task, and no effect happens twice',
  { timeout: 6 * patienceMs() },
  async side => {
    const story = STORIES['an agent that starts an agent and a command'] as Story
    await using project = await aProject(story.project)
    const at = `${side}:${CHILD_IS_STARTED}`
    await story.act({ project, task: '', run: null }, crashingIn('-a', { CRASH_AT: at }))
    const { tasks, runs } = await lookAhead(project, 0)
    expect([runs.length, tasks.length]).toEqual(side === 'before' ? [1, 0] : [2, 1])
    const { effects, end } = await endOf({ project, task: '', run: null }, story, at)
    expect(story.ends).toContain(end)
    expect(effects).toEqual(story.effects)
  },
)

/** Who of several comes first differs, so writes are told by their names. */
function sidesOf(names: readonly string[]): string[] {
  return [...new Set(names)].flatMap(name => [`before:${name}`, `after:${name}`])
}

async function arrange(project: Project, { before }: Story): Promise<Scene> {
  const task = (await before?.(project)) ?? ''
  const runs = before ? await listed(project, 'runs') : []
  return { project, task, run: runs[0]?.run_id ?? null }
}

interface End {
  readonly effects: readonly string[]
  /** Status of each run without a task and of each task, with how its run ended. */
  readonly end: string
}

async function endOf(scene: Scene, story: Story, at = 'undisturbed'): Promise<End> {
  const { project } = scene
  const store = project.path('.holdpoint', 'holdpoint.db')
  await agree(project, at)
  if (at !== 'undisturbed' && !story.starts) {
    await story.act(scene, {})
    await agree(project, `${at}, again`)
  }
  for (let round = 0; ; round++) {
    const seen = await look(project)
    await agree(project, at)
    if (seen.tasks.every(({ status }) => TASK_RESTS[status])) expect(unwatched(store), at).toEqual([])
    const next = await nextAct(scene, story, seen)
    if (next === null) break
    expect(round, `${at}: it does not end: ${JSON.stringify([next, seen])}`).toBeLessThan(12)
    await next()
  }
  await until(() => processesOn(project.directory).length === 0)
  return { effects: (await project.effects()).toSorted(), end: await endings(project) }
}

interface Seen {
  readonly tasks: readonly TaskSummary[]
  readonly runs: readonly { readonly id: string; readonly status: string; readonly checkpoint_id: string | null }[]
  readonly holds: readonly Hold[]
}

/** As another process sees it, which may be one that looks later. */
async function look(project: Project): Promise<Seen> {
  const seen = await lookAhead(project, 0)
  const lost = seen.tasks.some(({ status }) => status === 'pending') && processesOn(project.directory).length === 0
  return lost ? lookAhead(project, 11_000) : seen
}

async function lookAhead(project: Project, ahead: number): Promise<Seen> {
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  await using house = await openApp({ store, clock, directory: project.directory, env: project.environment })
  const { tasks } = await house.holdpoint.tasks.list()
  const [runs, holds] = [await house.holdpoint.runs(), await house.holdpoint.holds({ status: 'open' })]
  return { tasks: tasks.toReversed(), runs: runs.toReversed(), holds }
}

type Next = (() => Promise<unknown>) | null

/** By the documented means. `null`: nothing is left to do. */
async function nextAct(scene: Scene, story: Story, seen: Seen): Promise<Next> {
  const { project } = scene
  const { tasks, runs, holds } = seen
  if (tasks.length === 0 && runs.length === 0) return () => story.act(scene, {})
  const busy = tasks.find(({ status }) => !TASK_RESTS[status])
  if (busy) return () => project.holdpoint('tasks', 'wait', busy.task_id, '--timeout', '2')
  const [hold] = holds
  if (hold?.kind === 'in_doubt') return () => settle(project, hold, seen)
  if (hold) return () => project.holdpoint('approve', hold.id)
  const run = runs.find(({ status }) => status !== 'done')
  if (run === undefined) return null
  const task = tasks.find(({ run_id }) => run_id === run.id)
  const words = task ? ['tasks', 'resume', task.task_id] : ['-c', run.checkpoint_id ?? '']
  return () => project.holdpoint(...words)
}

/** What tells whether a call that is in doubt took effect, by call. */
const HAPPENED: Readonly<Record<string, (seen: Seen & { readonly effects: readonly string[] }) => boolean>> = {
  c1: ({ effects }) => effects.length > 0,
  p1: ({ runs }) => runs.length > 1,
  p2: ({ tasks }) => tasks.some(({ kind }) => kind === 'command'),
}

/** Somebody looks what happened, and says so. */
async function settle(project: Project, { run_id, call_id }: Hold, seen: Seen): Promise<void> {
  const call = call_id ?? ''
  const checkpoint = seen.runs.find(({ id }) => id === run_id)?.checkpoint_id ?? ''
  const happened = HAPPENED[call]?.({ ...seen, effects: await project.effects() })
  const said = happened ? ['--answer', `${call}={"exit_code":0}`] : ['--approve', call]
  const { exit, stdout } = await project.run(['-c', checkpoint, ...said, '-o', 'json'])
  expect(exit, stdout).not.toBe(2)
}

async function endings(project: Project): Promise<string> {
  const { tasks, runs } = await lookAhead(project, 0)
  const ends = new Map<string, string>()
  for (const run of runs) {
    const { termination, messages } = (await project.holdpoint('show', run.id, '--json')).json
    expect(historyFaults(messages ?? [])).toEqual([])
    ends.set(run.id, termination.type)
  }
  const owned = tasks.map(({ status, run_id }) => [status, ends.get(run_id ?? '')].filter(Boolean).join(' '))
  const free = runs.filter(({ id }) => !tasks.some(({ run_id }) => run_id === id)).map(({ id }) => ends.get(id))
  return [...free, ...owned.toSorted()].join(', ')
}

async function agree(project: Project, at: string): Promise<void> {
  const store = project.path('.holdpoint', 'holdpoint.db')
  if (!project.exists('.holdpoint', 'holdpoint.db')) return
  expect(await disagreementsIn(store, { asks: 'beside' }), at).toEqual([])
  expect(falseTasks(store), at).toEqual([])
}
