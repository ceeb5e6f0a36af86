import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { disagreementsIn } from '../agreement.ts'
import { crashingIn } from '../crash-in.ts'
import { isWhole } from '../crash-table.ts'
import { journalOf } from '../journal.ts'
import { textOf } from '../mcp/clients.ts'
import { type Connected, overStdio } from '../mcp/mcp-process.ts'
import { isAlive, until } from '../processes.ts'
import { aProject, command, effect, ended, type Project } from '../project.ts'
import { falseTasks, processesOn } from './task-faults.ts'
import { pidIn, processesOf } from './task-place.ts'

const ROUNDS = isWhole ? 25 : 1
const held = {
  script: [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Done.'],
  policy: { tools: { run_command: 'prompt' } },
}

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Documents = any

/** What a tool answers; a refusal is its `error`. */
async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Documents> {
  return textOf(await client.callTool({ name, arguments: args }))
}

class Race implements AsyncDisposable {
  readonly project: Project
  readonly #connected: readonly Connected[]

  constructor(project: Project, connected: readonly Connected[]) {
    this.project = project
    this.#connected = connected
  }

  get clients(): readonly [Client, Client] {
    return this.#connected.map(({ client }) => client) as unknown as readonly [Client, Client]
  }

  /** A task that waits for its call. */
  async paused(): Promise<string> {
    const [client] = this.clients
    const { task_id } = await use(client, 'subagent_task', { prompt: 'go' })
    await this.waited(task_id)
    return task_id
  }

  async waited(task: string): Promise<Documents> {
    const [client] = this.clients
    const { tasks, timed_out } = await use(client, 'wait_for_tasks', { task_ids: [task] })
    expect(timed_out).toBe(false)
    return tasks[0]
  }

  async looked(task: string): Promise<Documents> {
    return use(this.clients[1], 'get_task_details', { task_id: task })
  }

  async effectsSince(count: number): Promise<number> {
    return (await this.project.effects()).length - count
  }

  /** Nothing runs any more, and all that tells of it agrees. */
  async settled(): Promise<void> {
    const store = this.project.path('.holdpoint', 'holdpoint.db')
    await until(() => processesOn(this.project.directory).length === 0)
    expect(await disagreementsIn(store, { asks: 'beside' })).toEqual([])
    expect(falseTasks(store)).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#connected) await each[Symbol.asyncDispose]()
    await this.project[Symbol.asyncDispose]()
  }
}

async function aRace(options: Parameters<typeof aProject>[0] = held): Promise<Race> {
  const project = await aProject(options)
  return new Race(project, [
    await overStdio(project, 'latest', { env: { HOLDPOINT_ACTOR: 'ana' } }),
    await overStdio(project, 'latest', { env: { HOLDPOINT_ACTOR: 'ben' } }),
  ])
}

const decided = (task_id: string, approved: boolean) => ({
  task_id,
  tool_decisions: [{ tool_call_id: 'c1', approved }],
})

let race: Race

beforeAll(async () => {
  race = await aRace()
})

afterAll(async () => {
  await race[Symbol.asyncDispose]()
})

/** What the second of two callers may be told. */
const TOO_LATE = [
  'already_decided',
  'not_paused',
  'superseded',
  'hold_withdrawn',
  'run_done',
  'task_moved_on',
  'run_cancelled',
  // A cancel withdrew the hold after the resume had seen that the task waits.
  'nothing_pending',
]

function expectTold(answer: Documents): void {
  if (answer.task_id === undefined) expect(TOO_LATE, JSON.stringify(answer)).toContain(answer.error.code)
}

test(
  'P2: of two clients that resume a task at once with the same decision, one effect and one process come',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await race.project.effects()).length
      const task = await race.paused()
      const answers = await Promise.all(race.clients.map(client => use(client, 'resume_task', decided(task, true))))
      expect(answers.filter(({ task_id }) => task_id).length, JSON.stringify(answers)).toBeGreaterThan(0)
      answers.forEach(expectTold)
      expect(await race.waited(task)).toMatchObject({ status: 'completed', invocations: 2, exit_code: 0 })
      expect(await race.effectsSince(before)).toBe(1)
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test(
  'P2: of two clients that resume a task at once with different decisions, one wins and the other is told',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await race.project.effects()).length
      const task = await race.paused()
      const [yes, no] = await Promise.all(
        race.clients.map((client, index) => use(client, 'resume_task', decided(task, index === round % 2))),
      ).then(answers => (round % 2 === 0 ? answers : answers.toReversed()))
      expect(
        [yes, no].filter(({ task_id }) => task_id),
        JSON.stringify([yes, no]),
      ).toHaveLength(1)
      for (const answer of [yes, no]) expectTold(answer)
      expect(await race.waited(task)).toMatchObject({ status: 'completed', invocations: 2 })
      expect(await race.effectsSince(before)).toBe(yes.error ? 0 : 1)
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test(
  'P2: a task that is approved on the command line and resumed by a client at once goes on once',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await race.project.effects()).length
      const task = await race.paused()
      const { pause_reason } = await race.looked(task)
      const [approved, resumed] = await Promise.all([
        race.project.holdpoint('approve', pause_reason.pending_tool_calls[0].hold_id, '--json'),
        delay((round % 4) * 40).then(() => use(race.clients[1], 'resume_task', decided(task, true))),
      ])
      expect(approved.exit === 0 || !resumed.error).toBe(true)
      expectTold(resumed)
      expect(await race.waited(task)).toMatchObject({ status: 'completed', invocations: 2 })
      expect(await race.effectsSince(before)).toBe(1)
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test(
  'a task that is cancelled and resumed at once ends as whoever cancels it is told',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await race.project.effects()).length
      const task = await race.paused()
      const [resumed, cancelled] = await Promise.all([
        use(race.clients[0], 'resume_task', decided(task, true)),
        delay((round % 5) * 30).then(() => use(race.clients[1], 'cancel_task', { task_id: task })),
      ])
      expectTold(resumed)
      const end = await race.looked(task)
      expect(end.status, JSON.stringify([resumed, cancelled])).toBe(cancelled.status)
      expect(['cancelled', 'completed']).toContain(end.status)
      await until(async () => (await race.project.holdpoint('show', end.run_id, '--json')).json.status === 'done')
      const { termination } = (await race.project.holdpoint('show', end.run_id, '--json')).json
      if (end.status === 'completed') expect(termination.type).toBe('natural_end')
      const count = await race.effectsSince(before)
      expect(count).toBeLessThanOrEqual(end.status === 'completed' || !resumed.error ? 1 : 0)
      expect(processesOf({ id: task })).toEqual([])
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test(
  'a task that is cancelled while it ends is what whoever cancels it is told',
  async () => {
    await using race = await aRace({ ...held, policy: { default: 'auto' } })
    for (let round = 0; round < ROUNDS; round++) {
      const { task_id: task } = await use(race.clients[0], 'subagent_task', { prompt: 'go' })
      await delay((round % 8) * 40)
      const cancelled = await use(race.clients[1], 'cancel_task', { task_id: task })
      const end = await race.looked(task)
      expect(end.status).toBe(cancelled.status)
      const { status, termination } = (await race.project.holdpoint('show', end.run_id, '--json')).json
      expect(status).toBe('done')
      if (end.status === 'completed') expect(termination.type).toBe('natural_end')
      expect(processesOf({ id: task })).toEqual([])
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test(
  'P3: beside a worker a task goes on once, and tells how its run ended',
  async () => {
    const worker = race.project.start(['work', '--json'])
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const before = (await race.project.effects()).length
        const task = await race.paused()
        const resumed = await use(race.clients[1], 'resume_task', decided(task, true))
        expectTold(resumed)
        expect(await race.waited(task)).toMatchObject({ status: 'completed' })
        expect(await race.effectsSince(before)).toBe(1)
      }
    } finally {
      worker.kill('SIGTERM')
      await ended(worker)
    }
    await race.settled()
  },
  6 * patienceMs(),
)

function opened(): readonly string[] {
  const events = journalOf(race.project).filter(({ kind }) => kind === 'hold.opened')
  return events.map(({ data }) => data.hold_id)
}

/** The next one that opens, as soon as it is there. */
async function openedBeyond(known: number): Promise<string> {
  for (;;) {
    const hold = opened()[known]
    if (hold !== undefined) return hold
    await delay(1)
  }
}

test(
  'a hold that is approved before its task has come to rest goes on without anybody who waits',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await race.project.effects()).length
      const known = opened().length
      const { task_id: task } = await use(race.clients[0], 'subagent_task', { prompt: 'go' })
      const hold = await openedBeyond(known)
      const decision = await use(race.clients[1], 'decide_hold', { hold_id: hold, verdict: 'approve' })
      expect(decision).toMatchObject({ outcome: 'recorded' })
      await until(async () => (await race.looked(task)).status === 'completed')
      expect(await race.effectsSince(before)).toBe(1)
    }
    await race.settled()
  },
  6 * patienceMs(),
)

test('a command does not outlive the killed process of the agent that ran it', async () => {
  await using race = await aRace({
    script: [{ calls: [command('c1', 'echo $$ > pid; echo ran >> effects.log; sleep 600; echo late >> effects.log')] }],
    policy: { default: 'auto' },
  })
  const { task_id: id } = await use(race.clients[0], 'subagent_task', { prompt: 'go' })
  await until(() => race.project.exists('effects.log'))
  const { history } = await race.looked(id)
  process.kill(pidIn(history[0].process), 'SIGKILL')
  expect(await race.waited(id)).toMatchObject({ status: 'failed', signal: 'SIGKILL' })
  expect(processesOf({ id })).toEqual([])
  const shell = Number(await race.project.read('pid'))
  expect(isAlive(shell)).toBe(false)
  expect(await race.project.effects()).toEqual(['ran'])
})

test('an approval wakes the task of an agent whose supervisor was killed while the agent waited', async () => {
  await using project = await aProject(held)
  const env = crashingIn('supervise.js', { CRASH_AT: 'before:task(paused)' })
  {
    await using starting = await overStdio(project, 'latest', { env })
    await use(starting.client, 'subagent_task', { prompt: 'go' })
    await until(() => processesOn(project.directory).length === 0)
  }
  expect(journalOf(project).map(({ kind }) => kind)).toContain('hold.opened')
  expect((await project.holdpoint('approve', 'c1')).exit).toBe(0)
  await until(() => processesOn(project.directory).length === 0)
  expect((await project.holdpoint('tasks', '--json')).json).toMatchObject([{ status: 'completed', invocations: 2 }])
  expect(await project.effects()).toEqual(['applied'])
})
