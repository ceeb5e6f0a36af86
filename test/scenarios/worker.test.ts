import type { ChildProcess } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type DecisionInput, type Holdpoint, openHoldpoint } from '../../src/index.ts'
import { isAlive, until } from './processes.ts'
import { aProject, command, effect, ended, type Finished, type Project } from './project.ts'

interface WorkerProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** What it said so far, a JSON line each. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  told(kind?: string): any[]
  stopped(signal?: NodeJS.Signals): Promise<Finished>
}

/** `holdpoint work --json`, once it is ready. */
async function aWorker(project: Project, ...args: string[]): Promise<WorkerProcess> {
  const child = project.start(['work', '--json', ...args])
  let out = ''
  child.stdout?.on('data', chunk => (out += chunk))
  const finished = ended(child)
  const told: WorkerProcess['told'] = kind =>
    out
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
      .filter(line => kind === undefined || line.kind === kind)
  const stopped: WorkerProcess['stopped'] = async (signal = 'SIGTERM') => {
    child.kill(signal)
    return finished
  }
  await until(() => told('worker.started').length > 0)
  return {
    child,
    finished,
    told,
    stopped,
    [Symbol.asyncDispose]: async () => {
      await stopped('SIGKILL')
    },
  }
}

/** Another process than the worker's: this one. */
function library(project: Project): Promise<Holdpoint> {
  return openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
}

async function decideAll(holdpoint: Holdpoint, said: Partial<DecisionInput> = {}): Promise<void> {
  const holds = await holdpoint.holds({ status: 'open' })
  const verdict = { verdict: 'approve', decided_by: 'ben', surface: 'test', ...said } as const
  const receipts = await holdpoint.decideMany(holds.map(({ id }) => ({ ...verdict, hold_id: id })))
  expect(receipts.map(({ outcome }) => outcome)).toEqual(holds.map(() => 'recorded'))
}

async function allDone(project: Project): Promise<boolean> {
  await using holdpoint = await library(project)
  return (await holdpoint.runs()).every(({ status }) => status === 'done')
}

const pausing = ['--pause-on-approval', '-o', 'json', 'go']
const single = [{ text: 'One thing.', calls: [effect('t1', 'one')] }, 'Done.']

test('a worker that waits before there is a store goes on with a run as soon as somebody decides', async () => {
  await using project = await aProject({ script: single })
  await using worker = await aWorker(project)
  const paused = await project.holdpoint(...pausing)
  expect(paused.exit).toBe(10)
  expect(project.exists('.holdpoint/session/pause.json')).toBe(true)

  await using holdpoint = await library(project)
  await decideAll(holdpoint)
  await until(() => worker.told('run.advanced').length > 0)
  expect(await project.effects()).toEqual(['one'])
  expect(worker.told('run.advanced')).toMatchObject([
    { run_id: paused.json.run_id, session_id: paused.json.session_id, status: 'done', outcome: 'completed' },
  ])
  expect(worker.told('run.advanced')[0].final_message).toBe('Done.')
  expect(project.exists('.holdpoint/session/pause.json')).toBe(false)
  expect(await worker.stopped()).toMatchObject({ exit: 0, signal: null, stderr: '' })
  expect(worker.told().at(-1).kind).toBe('worker.stopped')
})

test('P4: a run that pauses again under a worker leaves the manifest of that pause, and the hint goes on with it', async () => {
  const script = [{ calls: [effect('t1', 'one')] }, { calls: [effect('t2', 'two')] }, 'Done.']
  await using project = await aProject({ script })
  await project.holdpoint(...pausing)
  await using holdpoint = await library(project)
  await decideAll(holdpoint)
  expect(await project.holdpoint('work', '--once', '--json')).toMatchObject({ exit: 0, stderr: '' })
  const manifest = JSON.parse(await project.read('.holdpoint/session/pause.json'))
  expect(manifest).toMatchObject({ outcome: 'paused', pause_reason: { pending_tool_calls: [{ id: 't2' }] } })
  expect(JSON.parse(await project.read(`.holdpoint/session/pauses/${manifest.run_id}.json`))).toEqual(manifest)
  expect(manifest.resume_hint).toBe(`holdpoint -c ${manifest.checkpoint_id} --approve t2`)
  expect(await project.holdpoint(...manifest.resume_hint.split(' ').slice(1))).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['one', 'two'])
})

test('a deadline fires while the worker sleeps, and the run goes on without the call', async () => {
  await using project = await aProject({ script: single, config: { due: { seconds: 1, on_due: 'reject' } } })
  await using worker = await aWorker(project)
  await project.holdpoint(...pausing)
  await until(() => worker.told('run.advanced').length > 0)
  expect(worker.told().map(({ kind }) => kind)).toEqual(['worker.started', 'hold.expired', 'run.taken', 'run.advanced'])
  expect(worker.told('run.advanced')[0]).toMatchObject({ outcome: 'completed' })
  expect(await project.effects()).toEqual([])
})

test('--once fires what is due, advances what can move, and ends; where nothing was run it says so', async () => {
  await using project = await aProject({ script: single, config: { due: { seconds: 1, on_due: 'reject' } } })
  expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0, stdout: 'Nothing was run here yet.\n' })
  expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
  const { json } = await project.holdpoint(...pausing)
  const early = await project.holdpoint('work', '--once')
  expect(early).toMatchObject({ exit: 0, stderr: '' })
  expect(early.stdout).not.toContain(json.run_id)
  await delay(1_000)
  const late = await project.holdpoint('work', '--once')
  expect(late).toMatchObject({ exit: 0, stderr: '' })
  expect(late.stdout).toContain('was not decided in time: reject')
  expect(late.stdout).toContain(`${json.run_id} completed`)
})

/** Runs that wait for their one approval, each with a line of its own in `effects.log`. */
async function waitingRuns(project: Project, count: number, text: (n: number) => string): Promise<void> {
  await using holdpoint = await library(project)
  const { profile } = await holdpoint.run((await project.holdpoint(...pausing)).json.run_id)
  for (let n = 1; n <= count; n += 1) {
    await project.write(
      `script-${n}.json`,
      JSON.stringify([{ calls: [{ id: 't1', name: 'run_command', args: { command: text(n) } }] }, 'Done.']),
    )
    const model = `script:${project.path(`script-${n}.json`)}`
    const { id } = await holdpoint.start({ profile: { ...profile, model }, input: 'go', author: null, reserve: true })
    await holdpoint.advance(id)
  }
}

test('P3: three workers on one store advance thirty runs, and each effect happens once', async () => {
  await using project = await aProject({ script: [{ calls: [effect('t1', 'first')] }, 'Done.'] })
  await waitingRuns(project, 29, n => `echo run ${n} >> effects.log`)
  const workers = await Promise.all([aWorker(project), aWorker(project), aWorker(project)])
  await using holdpoint = await library(project)
  await decideAll(holdpoint)
  await until(async () => (await holdpoint.runs()).every(({ status }) => status === 'done'))
  const ended = await Promise.all(workers.map(worker => worker.stopped()))
  expect(ended.map(({ exit, stderr }) => [exit, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  const expected = ['first', ...Array.from({ length: 29 }, (_, n) => `run ${n + 1}`)]
  expect((await project.effects()).toSorted()).toEqual(expected.toSorted())
  const advanced = workers.flatMap(worker => worker.told('run.advanced').map(({ run_id }) => run_id))
  expect(new Set(advanced).size).toBe(30)
  expect(advanced).toHaveLength(30)
})

test('no more than --concurrency runs are under way at once', async () => {
  await using project = await aProject({ script: [{ calls: [effect('t1', 'begin')] }, 'Done.'] })
  await waitingRuns(project, 5, () => 'echo begin >> effects.log; sleep 0.2; echo end >> effects.log')
  await using holdpoint = await library(project)
  await decideAll(holdpoint)
  expect(await project.holdpoint('work', '--once', '--concurrency', '2')).toMatchObject({ exit: 0 })
  let [running, most] = [0, 0]
  for (const line of (await project.effects()).slice(1)) {
    running += line === 'begin' ? 1 : -1
    most = Math.max(most, running)
  }
  expect(most).toBe(2)
})

test('P3: a worker that is killed in the middle of a call leaves it in doubt, and another one asks; nothing happens twice', async () => {
  const slow = command('t1', 'echo begun >> effects.log; sleep 300')
  await using project = await aProject({ script: [{ calls: [effect('t0', 'zero'), slow] }, 'Done.'] })
  const { json } = await project.holdpoint(...pausing)
  await using holdpoint = await library(project)
  await using first = await aWorker(project)
  await using second = await aWorker(project)
  await decideAll(holdpoint)
  await until(async () => (await project.effects()).includes('begun'))
  const owner = [first, second].find(worker => worker.told('run.taken').length > 0) as WorkerProcess
  const other = owner === first ? second : first
  owner.child.kill('SIGKILL')
  await until(() => other.told('run.advanced').length > 0)
  expect(other.told('run.advanced')[0]).toMatchObject({ run_id: json.run_id, outcome: 'paused' })
  expect(other.told('run.advanced')[0].pause_reason).toMatchObject({
    type: 'outcome_unknown',
    pending_tool_calls: [{ id: 't1', in_doubt: true }],
  })
  await decideAll(holdpoint, { verdict: 'respond', value: 'it happened' })
  await until(() => other.told('run.advanced').length > 1)
  expect(await project.effects()).toEqual(['zero', 'begun'])
})

test('SIGTERM lets what is under way come to rest, begins nothing more, and exits with 0', async () => {
  await using project = await aProject({ script: [{ calls: [effect('t1', 'first')] }, 'Done.'] })
  await waitingRuns(project, 1, () => 'echo begun >> effects.log; sleep 0.5; echo ended >> effects.log')
  await using holdpoint = await library(project)
  const [slow, quick] = await holdpoint.holds({ status: 'open' }).then(holds => holds.toReversed())
  await using worker = await aWorker(project, '--concurrency', '1')
  const approve = { verdict: 'approve', decided_by: 'ben', surface: 'test' } as const
  await holdpoint.decide(slow?.id ?? '', approve)
  await until(async () => (await project.effects()).includes('begun'))
  await holdpoint.decide(quick?.id ?? '', approve)
  expect(await worker.stopped()).toMatchObject({ exit: 0, signal: null, stderr: '' })
  expect(await project.effects()).toEqual(['begun', 'ended'])
  expect((await holdpoint.runs()).map(({ status, lease }) => [status, lease])).toEqual([
    ['done', null],
    ['running', null],
  ])
})

test.for([
  ['when the grace is over', ['--grace', '0'], 1, 0, 'SIGTERM'],
  ['at a second signal', [], 2, 130, 'SIGINT'],
] as const)(
  'P11: %s, what is under way is stopped, and a person is asked what came of it',
  async ([_title, flags, signals, exit, signal]) => {
    const script = [{ calls: [command('t1', 'echo $$ > pid; echo begun >> effects.log; sleep 300')] }, 'Done.']
    await using project = await aProject({ script })
    await project.holdpoint(...pausing)
    await using holdpoint = await library(project)
    await decideAll(holdpoint)
    await using worker = await aWorker(project, ...flags)
    await until(async () => (await project.effects()).includes('begun'))
    for (let sent = 0; sent < signals; sent += 1) {
      worker.child.kill(signal)
      await delay(50)
    }
    expect(await worker.finished).toMatchObject({ exit, signal: null, stderr: '' })
    expect(isAlive(Number(await project.read('pid')))).toBe(false)
    expect(worker.told('run.advanced')).toMatchObject([{ status: 'running', outcome: 'interrupted' }])
    expect(await holdpoint.runs()).toMatchObject([{ status: 'running', lease: null }])

    expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0, stderr: '' })
    expect(await holdpoint.runs()).toMatchObject([{ status: 'waiting' }])
    expect(await holdpoint.holds({ status: 'open' })).toMatchObject([{ kind: 'in_doubt', call_id: 't1' }])
    expect(await project.effects()).toEqual(['begun'])
  },
)

test('a run whose agent is gone is told of on stderr, holds up no other, and --once exits with 1', async () => {
  const agent = "export default { name: 'gone', model: 'script:script.json' }\n"
  await using project = await aProject({ script: single, files: { 'gone.mjs': agent } })
  const broken = await project.holdpoint('--agent', 'gone.mjs', ...pausing)
  await project.holdpoint(...pausing)
  await using holdpoint = await library(project)
  await decideAll(holdpoint)
  await rename(project.path('gone.mjs'), project.path('elsewhere.mjs'))

  const once = await project.holdpoint('work', '--once')
  expect(once.exit).toBe(1)
  expect(once.stderr).toContain(`${broken.json.run_id} cannot go on: `)
  expect(await project.effects()).toEqual(['one'])
  expect(await project.holdpoint('work', '--once', '--json')).toMatchObject({ exit: 1, stderr: '' })

  await using worker = await aWorker(project)
  await until(() => worker.told('run.failed').length > 0)
  expect(worker.told('run.failed')).toMatchObject([{ run_id: broken.json.run_id, error: { code: 'invalid_agent' } }])
  await rename(project.path('elsewhere.mjs'), project.path('gone.mjs'))
  await until(() => allDone(project))
  expect(worker.told('run.failed')).toHaveLength(1)
  expect(await project.effects()).toEqual(['one', 'one'])
})

test('a worker snatches no run that another command has just started', async () => {
  await using project = await aProject({ script: ['Done.'] })
  await using worker = await aWorker(project)
  const exits: (number | null)[] = []
  for (let round = 0; round < 5; round += 1) {
    const started = Array.from({ length: 6 }, () => project.holdpoint('-o', 'json', 'go'))
    exits.push(...(await Promise.all(started)).map(({ exit }) => exit))
  }
  expect(exits).toEqual(Array(30).fill(0))
  expect(worker.told('run.taken')).toEqual([])
})

test('P11: a worker asks what came of the call that Ctrl-C stopped', async () => {
  const script = [{ calls: [command('t1', 'echo begun >> effects.log; sleep 300')] }, 'Done.']
  await using project = await aProject({ script })
  const child = project.start(['-a', '-o', 'json', 'go'])
  const finished = ended(child)
  await until(async () => (await project.effects()).includes('begun'))
  child.kill('SIGINT')
  expect(await finished).toMatchObject({ exit: 130 })
  const { stdout, exit } = await project.holdpoint('work', '--once')
  expect([exit, stdout]).toEqual([0, expect.stringContaining('waits')])
})

test.each([[['work', 'now']], [['work', '--concurrency', '0']], [['work', '--grace', 'soon']]])(
  '%j is refused',
  async args => {
    await using project = await aProject()
    expect(await project.holdpoint(...args, '--json')).toMatchObject({
      exit: 2,
      json: { outcome: 'refused', error: { code: 'invalid_arguments' } },
    })
    expect(project.exists('.holdpoint')).toBe(false)
  },
)
