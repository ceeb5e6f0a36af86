import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type App, openApp } from '../../../src/hosts/compose/compose.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { until } from '../processes.ts'
import { aProject, effect, type Project, type ProjectOptions } from '../project.ts'
import { processesOn } from './task-faults.ts'

const HELD = [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Done.']
const TALK = [{ text: 'What next?' }, { text: 'Thanks.' }]

/** A project whose agent started a sub-agent as a task, which is paused. */
async function withPausedChild(child: unknown, args: object = {}, options: ProjectOptions = {}): Promise<Project> {
  const wish = { prompt: 'go', model: 'script:child.json', tools: ['run_command'], ...args }
  const project = await aProject({
    script: [{ calls: [{ id: 'p1', name: 'subagent_task', args: wish }] }, 'Delegated.'],
    policy: { tools: { subagent_task: 'auto', run_command: 'prompt' } },
    files: { 'child.json': JSON.stringify(child) },
    ...options,
  })
  const tools = ['-t', 'subagent_task', '-t', 'run_command']
  expect((await project.holdpoint(...tools, 'delegate')).exit).toBe(0)
  const waited = await project.holdpoint('tasks', 'wait', await taskIn(project), '--json')
  expect(waited, waited.stdout).toMatchObject({ exit: 10, stderr: '' })
  return project
}

async function taskIn(project: Project): Promise<string> {
  const [task] = (await project.holdpoint('tasks', '--json')).json
  return task.task_id
}

function appOn(project: Project, clock: Clock = systemClock): Promise<App> {
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  return openApp({ store, clock, directory: project.directory, env: project.environment })
}

/** The history of the task, once nothing of it runs. */
async function restedHistory(project: Project): Promise<unknown> {
  await until(() => processesOn(project.directory).length === 0)
  const { history } = (await project.holdpoint('tasks', 'show', await taskIn(project), '--json')).json
  return history
}

test('a message to the text pause of a sub-agent wakes its task, in the name of its author', async () => {
  await using project = await withPausedChild(TALK, { pause_on: ['input'] })
  {
    await using app = await appOn(project)
    const [hold] = await app.holdpoint.holds({ status: 'open' })
    const sent = await app.holdpoint.send(hold?.thread_id ?? '', { text: 'go on', author: 'ben' })
    expect(sent.outcome).toBe('answered')
  }
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, by: 'ben', surface: 'code' },
  ])
})

test('a message that takes the place of a held call wakes the task that waited for a decision', async () => {
  await using project = await withPausedChild(HELD)
  {
    await using app = await appOn(project)
    const [hold] = await app.holdpoint.holds({ status: 'open' })
    const thread = hold?.thread_id ?? ''
    const sent = await app.holdpoint.send(thread, { text: 'no', author: 'ben' }, { whileWaiting: 'supersede' })
    expect(sent.outcome).toBe('superseded')
  }
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, status: 'completed', by: 'ben', surface: 'code' },
  ])
  expect(await project.effects()).toEqual([])
})

const IN_A_MINUTE = { config: { due: { seconds: 60, on_due: 'reject' } } }
const AHEAD_MS = 61_000
/** A process that sees what is due in a minute. */
const LATER = {
  NODE_OPTIONS: `--import ${resolve(import.meta.dirname, '../shift-clock.mjs')}`,
  CLOCK_AHEAD_MS: String(AHEAD_MS),
}

test('an expiry that the library fires wakes the task that waited', async () => {
  await using project = await withPausedChild(HELD, {}, IN_A_MINUTE)
  {
    await using app = await appOn(project, { ...systemClock, now: () => Date.now() + AHEAD_MS })
    expect(await app.holdpoint.expireHolds()).toMatchObject([{ kind: 'hold.expired' }])
  }
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, status: 'completed', by: 'holdpoint', surface: 'deadline' },
  ])
  expect(await project.effects()).toEqual([])
})

test('P3: an expiry that a worker fires wakes the task, and the run goes on once', async () => {
  await using project = await withPausedChild(HELD, {}, IN_A_MINUTE)
  expect((await project.run(['work', '--once'], { env: LATER })).exit).toBe(0)
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, status: 'completed', by: 'holdpoint', surface: 'deadline' },
  ])
  expect((await project.holdpoint('runs', '--json')).json).toMatchObject([{ status: 'done' }, { status: 'done' }])
})

test('a decision that comes too late fires the deadline, and wakes the task', async () => {
  await using project = await withPausedChild(HELD, {}, IN_A_MINUTE)
  expect((await project.run(['approve', 'c1'], { env: LATER })).exit).not.toBe(0)
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, status: 'completed', by: 'holdpoint', surface: 'deadline' },
  ])
  expect(await project.effects()).toEqual([])
})

/** Each goes on with the task at once, though no worker fired what was due. */
const LOOKS: readonly (readonly [who: string, words: (task: string) => readonly string[], exit: number])[] = [
  ['tasks show', task => ['tasks', 'show', task, '--json'], 0],
  ['tasks resume', task => ['tasks', 'resume', task, '--json'], 0],
  ['tasks wait', task => ['tasks', 'wait', task, '--json', '--timeout', '60'], 0],
]

test.each(LOOKS)('an overdue hold of a task is fired by %s, and the task goes on', async (_who, words, exit) => {
  await using project = await withPausedChild(HELD, {}, IN_A_MINUTE)
  const looked = await project.run(words(await taskIn(project)), { env: LATER })
  expect(looked, looked.stdout).toMatchObject({ exit })
  expect(await restedHistory(project)).toMatchObject([
    { n: 1, status: 'paused' },
    { n: 2, status: 'completed', by: 'holdpoint', surface: 'deadline' },
  ])
  expect(await project.effects()).toEqual([])
})
