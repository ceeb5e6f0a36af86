import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { disagreementsIn } from '../agreement.ts'
import type { Client } from '../attach/agent-stage.ts'
import { crashingIn } from '../crash-in.ts'
import { isWhole, namesIn } from '../crash-table.ts'
import { historyFaults } from '../history-faults.ts'
import { isAlive, killIfThere, until } from '../processes.ts'
import { aProject, CLI, effect, type Project } from '../project.ts'
import { falseTasks, processesOn, unwatched } from '../tasks/task-faults.ts'
import { agents, type Document } from './agents.ts'
import { attached, ofEarlierBoot, recycledAs, renameProcesses, rowsOf } from './fleet-rows.ts'

/**
 * One story: an agent is spawned, a person attaches, approves its call, says more, and ends it. Its processes are killed
 * at each durable write, and a person goes on with the documented verbs.
 */
type Environment = Readonly<Record<string, string>>

const SCRIPT = [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Applied.', 'More is done.']
const SPAWN = ['agents', 'spawn', '--interactive', '--name', 'docs', '--json', 'begin']
const AHEAD = ['--import', new URL('../shift-clock.mjs', import.meta.url).pathname]

const aStory = () => aProject({ script: SCRIPT, policy: { tools: { run_command: 'prompt' } } })

/** Goes as far as the processes let it. */
async function play(project: Project, env: Environment, decide: Decide = overSocket): Promise<void> {
  const { signal } = await project.run(SPAWN, { env })
  if (signal !== null) return
  const there = await door(project)
  if (there) await talk(there, decide).catch(() => {})
  there?.socket.destroy()
}

type Decide = (ana: Client, hold_id: string) => Promise<unknown>

const overSocket: Decide = async (ana, hold_id) => {
  ana.send({ type: 'decide', input_id: 'd1', hold_id, verdict: 'approve' })
  expect(await ana.answerTo('d1')).toMatchObject({ type: 'ack' })
}

/** Beside a daemon, over which the person decides. Whatever is left of it is ended last. */
async function playBesideDaemon(project: Project, env: Environment): Promise<void> {
  await project.run(['daemon', 'start'], { env })
  const { daemon } = (await project.holdpoint('daemon', 'status', '--json')).json ?? {}
  await play(project, env, async (_, hold_id) => {
    const { exit, stderr } = await project.holdpoint('approve', hold_id, '--server', daemon?.server ?? 'unix:/gone')
    if (exit !== 0) throw new Error(stderr)
  })
  await project.holdpoint('daemon', 'stop', '--kill')
}

/** `null`: it has died. */
async function door(project: Project): Promise<Client | null> {
  for (;;) {
    const client = await attached(project)
    const task = rowsOf(project)?.task
    // A daemon lives on, and settles what was lost.
    const isOver = task !== undefined && task !== 'pending' && task !== 'running'
    if (client || isOver || processesOn(project.directory).length === 0) return client
    await delay(20)
  }
}

/** Each step needs the process. @throws once the connection is cut */
async function talk(ana: Client, decide: Decide): Promise<void> {
  await ana.status('waiting')
  const { hold_id } = ((await ana.event('hold.opened'))['event'] as { data: { hold_id: string } }).data
  await decide(ana, hold_id)
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('Applied.'))
  await ana.status('idle')
  expect(await ana.say('i1', 'and more')).toMatchObject({ type: 'ack' })
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('More is done.'))
  await ana.until(frame => ana.frames.findLast(({ type }) => type === 'status') === frame && frame['status'] === 'idle')
  ana.send({ type: 'end', input_id: 'e1' })
  await ana.answerTo('e1')
  await ana.closed()
}

interface End {
  readonly effects: readonly string[]
  readonly said: readonly string[]
  readonly status: string
  readonly task: string
}

/** A person goes on by what `agents` says. */
async function goOn(project: Project, at: string): Promise<End> {
  for (let round = 0; ; round++) {
    await agree(project, at)
    const agent = await seen(project)
    expect(round, `${at}: it does not end: ${JSON.stringify(agent)}`).toBeLessThan(30)
    if (agent === null) await project.run(SPAWN)
    else if (agent.status === 'done') return endOf(project, agent)
    else await NEXT[agent.status as string]?.(project, agent)
  }
}

const NEXT: Readonly<Record<string, (project: Project, agent: Document) => Promise<unknown>>> = {
  spawning: () => delay(50),
  running: () => delay(50),
  // With nobody to start it, a person does.
  queued: project => agents(project, 'resume', 'docs'),
  crashed: project => agents(project, 'resume', 'docs'),
  waiting: decideNext,
  idle: sayOrEnd,
  parked: sayOrEnd,
}

async function decideNext(project: Project): Promise<void> {
  const [hold] = (await project.holdpoint('holds', '--json')).json
  if (!hold) return
  const happened = hold.kind === 'in_doubt' && (await project.effects()).length > 0
  const said = happened ? ['answer', hold.id, '--value', '{"exit_code":0}'] : ['approve', hold.id]
  const { exit, stderr } = await project.holdpoint(...said)
  expect(exit, stderr).toBe(0)
}

async function sayOrEnd(project: Project, { run_id }: Document): Promise<void> {
  const { stdout } = await agents(project, 'logs', 'docs')
  if (!stdout.includes('ana: and more'))
    return void (await agents(project, 'send', 'docs', '--input-id', 'i1', 'and more'))
  const holds = (await project.holdpoint('holds', '--run', run_id, '--json')).json
  const pause = Array.isArray(holds) && holds.find(({ kind }: Document) => kind === 'input')
  if (pause) await project.holdpoint('approve', pause.id)
}

/** As `agents` shows it. If nothing of a task that is to start is there, later: then it counts as lost. */
async function seen(project: Project): Promise<Document | null> {
  const isLost = rowsOf(project)?.task === 'pending' && processesOn(project.directory).length === 0
  const { json } = await project.run(['agents', '--json'], {
    ...(isLost && { node: AHEAD, env: { CLOCK_AHEAD_MS: '11000' } }),
  })
  if (json.error?.code === 'no_store') return null
  return json[0] ?? null
}

async function endOf(project: Project, { status, run_id }: Document): Promise<End> {
  await until(() => processesOn(project.directory).length === 0)
  const { termination, messages } = (await project.holdpoint('show', run_id, '--json')).json
  expect(historyFaults(messages ?? [])).toEqual([])
  expect(termination).toEqual({ type: 'natural_end' })
  const { stdout } = await agents(project, 'logs', 'docs')
  // What a person says of a call in doubt is told too, and not of each crash.
  const said = stdout.split('\n').filter(line => /^(ana|docs): (?!\{)/.test(line))
  return { effects: await project.effects(), said, status, task: rowsOf(project)?.task ?? 'none' }
}

const WHOLE: End = {
  effects: ['applied'],
  said: ['ana: begin', 'docs: Soon.', 'docs: Applied.', 'ana: and more', 'docs: More is done.'],
  status: 'done',
  task: 'completed',
}

async function agree(project: Project, at: string): Promise<void> {
  if (!project.exists('.holdpoint', 'holdpoint.db')) return
  const store = project.path('.holdpoint', 'holdpoint.db')
  expect(await disagreementsIn(store, { asks: 'beside' }), at).toEqual([])
  expect(falseTasks(store), at).toEqual([])
}

/** What the rows alone say of an agent of which nothing runs any more. */
function statusAtRest(project: Project): string | null {
  const rows = rowsOf(project)
  if (rows === null) return null
  if (rows.run === 'done') return 'done'
  if (rows.run === 'running') return rows.task === 'paused' ? 'queued' : 'crashed'
  return rows.asks ? 'waiting' : 'parked'
}

/** Right after the crash: the status is true, and nothing runs that has no supervisor. */
async function expectTrue(project: Project, at: string): Promise<void> {
  const agent = await seen(project)
  if (processesOn(project.directory).length > 0) {
    const { presence } = rowsOf(project) ?? {}
    if (agent?.status === 'idle') expect(isAlive(Number(presence?.process.split(':')[1])), at).toBe(true)
    return
  }
  const again = await seen(project)
  expect(again?.status ?? null, `${at}: ${JSON.stringify(again)}`).toBe(statusAtRest(project))
  if (agent) expect(unwatched(project.path('.holdpoint', 'holdpoint.db')), at).toEqual([])
}

async function writesOf(killed: string, story: typeof play = play): Promise<string[]> {
  await using project = await aStory()
  const points = `${project.directory}-points`
  onTestFinished(() => rmSync(points, { force: true }))
  await story(project, crashingIn(killed, { CRASH_POINTS: points }))
  expect(await goOn(project, 'undisturbed')).toEqual(WHOLE)
  const counted = new Map<string, number>()
  return namesIn(points).map(name => {
    counted.set(name, (counted.get(name) ?? 0) + 1)
    return `${name}#${counted.get(name)}`
  })
}

/** Each write on both sides, or a sample of them. */
function crashesAt(names: readonly string[], step: number): string[] {
  const all = names.flatMap(name => [`before:${name}`, `after:${name}`])
  return isWhole ? all : all.filter((_, index) => index % step === 1)
}

const KILLED = [
  ['the command that spawns it', 'spawn', 6],
  ['its supervisor', 'supervise.js', 4],
  ['its process', '--attend', 14],
  ['its process and its supervisor', '--attend supervise.js', 40],
] as const

test.for(KILLED)(
  'P2, P3, P4: an agent is attached to, decided, told more and ended, and %s is killed at any durable write: its status is true and it comes to the same end',
  { timeout: 30 * patienceMs() },
  async ([, killed, step]) => {
    for (const crash of crashesAt(await writesOf(killed), step)) {
      const at = `${crash} in ${killed}`
      await using project = await aStory()
      await play(project, crashingIn(killed, { CRASH_AT: crash }))
      await expectTrue(project, at)
      expect(await goOn(project, at), at).toEqual(WHOLE)
    }
  },
)

test('P3, P4: its process is told to stop right after any durable write: nothing it was to do is given up, and nothing is done twice', {
  timeout: 30 * patienceMs(),
}, async () => {
  for (const write of stopsAt(await writesOf('--attend'))) {
    await using project = await aStory()
    await play(project, crashingIn('--attend', { CRASH_AT: `stop:${write}` }))
    expect(await goOn(project, `told to stop at ${write}`), write).toEqual(WHOLE)
  }
})

/** The one at which a call is claimed and has not begun is always among them. */
function stopsAt(names: readonly string[]): string[] {
  const claims = names.filter(name => name.includes('call.started'))
  expect(claims).not.toEqual([])
  return isWhole ? [...names] : [...claims, ...names.filter((_, index) => index % 12 === 3)]
}

const KILLED_BESIDE = [
  ['its daemon', 'daemon', 25],
  ['its daemon and its process', 'daemon --attend', 40],
] as const

test.for(KILLED_BESIDE)(
  'P2, P3, P4: an agent is decided for over a daemon, and %s is killed at any durable write: its status is true and it comes to the same end',
  { timeout: 30 * patienceMs() },
  async ([, killed, step]) => {
    for (const crash of crashesAt(await writesOf(killed, playBesideDaemon), step)) {
      const at = `${crash} in ${killed}`
      await using project = await aStory()
      await playBesideDaemon(project, crashingIn(killed, { CRASH_AT: crash }))
      await expectTrue(project, at)
      expect(await goOn(project, at), at).toEqual(WHOLE)
    }
  },
)

const MOMENTS = [
  ['waits for a person', 'waiting', async () => {}],
  ['is idle', 'idle', decideNext],
] as const

test.for(MOMENTS)(
  'P4: a client that came to end the agent with its input is killed while the agent %s, and ends nothing',
  async ([, status, act]) => {
    await using project = await aStory()
    await project.run(SPAWN)
    const client = await anAttached(project)
    await seenAs(project, 'waiting')
    await act(project)
    expect(await seenAs(project, status)).toMatchObject({ clients: 1 })
    client.kill('SIGKILL')
    await until(async () => (await seen(project))?.clients === 0)
    expect((await seen(project))?.status).toBe(status)
    expect(await goOn(project, 'client killed')).toEqual(WHOLE)
  },
)

/** `holdpoint agents attach` by a pipe that stays open, once it was welcomed. */
async function anAttached(project: Project): Promise<ChildProcess> {
  const words = ['agents', 'attach', 'docs', '--end-on-eof', '--json']
  const { directory: cwd, environment: env } = project
  const child = spawn(process.execPath, [CLI, ...words], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function seenAs(project: Project, status: string): Promise<Document> {
  for (;;) {
    const agent = await seen(project)
    if (agent?.status === status) return agent
    await delay(50)
  }
}

test.for(isWhole ? [1, 2, 3, 4, 5, 6] : [3])(
  'P4: everything is killed at moment %i, the machine starts again, and the agent comes to the same end',
  { timeout: 6 * patienceMs() },
  async (moment, { expect: own }) => {
    await using project = await aStory()
    await playUntil(project, moment)
    await killAll(project)
    renameProcesses(project, ofEarlierBoot)
    const at = `restarted at ${moment}`
    await expectTrue(project, at)
    own(await goOn(project, at)).toEqual(WHOLE)
  },
)

const AFTERWARDS = [
  ['goes on', async (project: Project) => expect(await goOn(project, 'recycled')).toEqual(WHOLE)],
  [
    'is killed for good',
    async (project: Project) => {
      expect(await agents(project, 'kill', 'docs')).toMatchObject({ exit: 0 })
      expect((await seen(project))?.status).toBe('killed')
    },
  ],
] as const

test.for(AFTERWARDS)(
  'P4: the ids of its processes were given to another process, the agent %s, and that other process gets no signal',
  async ([, act]) => {
    await using project = await aStory()
    await playUntil(project, 2)
    await killAll(project)
    const stranger = spawn('sleep', ['60'], { cwd: '/' })
    onTestFinished(() => void stranger.kill('SIGKILL'))
    renameProcesses(project, recycledAs(Number(stranger.pid)))
    await expectTrue(project, 'recycled')
    await act(project)
    expect([stranger.exitCode, stranger.signalCode, isAlive(Number(stranger.pid))]).toEqual([null, null, true])
  },
)

async function killAll(project: Project): Promise<void> {
  for (const pid of pidsOn(project)) killIfThere(pid)
  await until(() => processesOn(project.directory).length === 0)
}

/** The moments of the story. */
async function playUntil(project: Project, moment: number): Promise<void> {
  await project.run(SPAWN)
  if (moment === 1) return
  const ana = (await door(project)) as Client
  await ana.status('waiting')
  const { hold_id } = ((await ana.event('hold.opened'))['event'] as { data: { hold_id: string } }).data
  if (moment === 2) return
  ana.send({ type: 'decide', input_id: 'd1', hold_id, verdict: 'approve' })
  await ana.answerTo('d1')
  if (moment === 3) return
  await ana.status('idle')
  if (moment === 4) return
  await ana.say('i1', 'and more')
  if (moment === 5) return
  ana.send({ type: 'end', input_id: 'e1' })
  await ana.answerTo('e1')
}

function pidsOn({ directory }: Project): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid && isAlive(Number(name)))
    .map(Number)
    .filter(pid => commandLine(pid).includes(directory))
}

/** Empty for one that has ended meanwhile. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
