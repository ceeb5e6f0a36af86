import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Alarm } from '../../../src/async/alarm.ts'
import { PAUSE_KINDS } from '../../../src/core/run/profile.ts'
import { AgentVerbs } from '../../../src/hosts/agent-process/agent-verbs.ts'
import { stayWhileWaiting } from '../../../src/hosts/agent-process/stay-while-waiting.ts'
import { defineAgent } from '../../../src/hosts/agents/define-agent.ts'
import { type App, openApp } from '../../../src/hosts/compose/compose.ts'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Holdpoint } from '../../../src/runtime/face/holdpoint.ts'
import { runs } from '../../runs.ts'
import { agents, endAgents, until } from '../agents/agents.ts'
import { aProject } from '../project.ts'

/** The end and the message each come from an opening of the store of their own, as those of two processes do. */
let apps: readonly App[]
let directory: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-races-'))
  writeFileSync(join(directory, 'turns.json'), JSON.stringify(['Ready.', 'Heard.']))
  const support = defineAgent({ name: 'support', model: 'script:turns.json', pauseOn: PAUSE_KINDS })
  const opening = { store: `sqlite:${join(directory, 'store.db')}`, agents: [support], directory, env: {} }
  apps = [await openApp(opening), await openApp(opening)]
})

afterAll(async () => {
  for (const app of apps) await app[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
})

const IDLE_MS = 60_000

/**
 * Time stands until the idle time is over. The message comes so many turns of the event loop behind that moment, or before it
 * if `lead` is negative.
 */
async function race(app: App, other: App, lead: number): Promise<'ended' | 'heard'> {
  const { holdpoint, store } = app
  const { id: run_id, thread_id } = await holdpoint.start({ agent: 'support', input: 'begin', author: 'ana' })
  expect(await holdpoint.advance(run_id)).toMatchObject({ status: 'waiting' })
  let ahead = 0
  const clock: Clock = { ...systemClock, steady: () => systemClock.steady() + ahead }
  const alarm = new Alarm(clock)
  const over = new AbortController()
  const ending = stayWhileWaiting({
    site: { holdpoint, store, clock, liveness: processLiveness() },
    place: {
      ...{ task_id: 'task_1', invocation: 1, name: 'docs', run_id, thread_id, workdir: directory },
      settings: { idle_timeout_ms: IDLE_MS, on_idle: 'end' },
    },
    ...{ hasFailed: false, signal: over.signal, alarm },
    attendance: () => ({ clients: 0, last_left_at: null, last_input_at: null, ends_after_turn: null }),
    ...{ looked: () => {}, failed: problem => expect.fail(problem), answered: async () => {} },
  })
  await turns(3)
  const end = () => {
    ahead = 2 * IDLE_MS
    alarm.ring()
  }
  if (lead >= 0) end()
  await turns(lead)
  const sending = other.holdpoint.send(thread_id, { text: 'wait', author: 'ana' }).catch(() => null)
  await turns(-lead)
  if (lead < 0) end()
  const sent = await sending
  expect(await ending).toBe('ready')
  const decided = (await holdpoint.journal(thread_id)).flatMap(event =>
    event.kind === 'hold.decided' && event.run_id === run_id ? [event.data.decision] : [],
  )
  expect(decided).toHaveLength(1)
  const isHeard = decided[0]?.verdict === 'respond'
  expect(decided[0]).toMatchObject(isHeard ? { value: 'wait', decided_by: 'ana' } : { reason: 'idle_timeout' })
  // Who lost is told: the message is no answer then, and either begins the next run or is refused.
  expect(sent?.outcome === 'answered').toBe(isHeard)
  return isHeard ? 'heard' : 'ended'
}

/** A run that rests at its first text pause, and the runs that its thread has by now. */
async function resting() {
  const [app] = apps as [App]
  const { holdpoint } = app
  const run = await holdpoint.start({ agent: 'support', input: 'begin', author: 'ana' })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  const runs = async () => {
    const journal = await holdpoint.journal(run.thread_id)
    return [...new Set(journal.map(event => event.run_id))]
  }
  return { app, holdpoint, run, runs }
}

test('P4: a message to a run that ended meanwhile is refused, and begins no run that nobody goes on with', async () => {
  const { holdpoint, run, runs } = await resting()
  await holdpoint.cancel(run.id, { by: 'ben' })
  await expect(holdpoint.send(run.thread_id, { text: 'wait' }, { onlyTo: run.id })).rejects.toMatchObject({
    code: 'superseded',
  })
  expect(await runs()).toEqual([run.id])
})

test('P4: a client whose agent ends between the look and the write is told so, and nothing was said', async () => {
  const { app, holdpoint, run, runs } = await resting()
  const ending = {
    ...{ journal: holdpoint.journal.bind(holdpoint) },
    thread: async (id: string) => {
      const thread = await holdpoint.thread(id)
      if (!thread.run?.termination) await holdpoint.cancel(run.id, { by: 'ben' })
      return thread
    },
    send: holdpoint.send.bind(holdpoint),
  } as Partial<Holdpoint> as Holdpoint
  const place = {
    ...{ task_id: 'task_1', invocation: 1, name: 'docs', run_id: run.id, thread_id: run.thread_id },
    ...{ workdir: directory, settings: { idle_timeout_ms: IDLE_MS, on_idle: 'end' as const } },
  }
  const verbs = new AgentVerbs({
    site: { holdpoint: ending, store: app.store, clock: systemClock, liveness: processLiveness() },
    ...{ place: () => place, beginsNext: () => false, endAfterTurn: () => {}, heard: () => {} },
  })
  expect(await verbs.say({ type: 'user_message', input_id: 'in_1', text: 'wait' }, 'ana')).toMatchObject({
    ...{ type: 'error', input_id: 'in_1', code: 'ended' },
  })
  expect(await runs()).toEqual([run.id])
})

test('a message that is sent as the run begins to wait for one is its answer, and waits for no other', async () => {
  const [app, other] = apps as [App, App]
  const { holdpoint, store } = app
  const run = await holdpoint.start({ agent: 'support', input: 'begin', author: 'ana' })
  const { holds } = store
  const looked = Promise.withResolvers<void>()
  // The run comes to its pause between the look of the sender and its write.
  store.holds = async (...query) => {
    const found = await holds.apply(store, query)
    if (query[0]?.kind !== 'input') return found
    store.holds = holds
    expect(await other.holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
    looked.resolve()
    return found
  }
  const sent = await holdpoint.send(run.thread_id, { text: 'wait', author: 'ana' }, { whileWaiting: 'queue' })
  await looked.promise
  expect(sent).toEqual({ outcome: 'answered', run_id: run.id })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting', steps: 2 })
})

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve))
}

/** Who won the race before gets less of a start in the next, and ever less the more often, so they stay close. */
let [lead, step, last] = [0, 1, '']
const seen = new Set<string>()

const HUNDREDS = Array.from({ length: runs(10) }, (_, index) => index + 1)

test.each(HUNDREDS)(
  'P2: of the end and a message at the same moment one wins, and the other is told: hundred %i',
  async hundred => {
    const [app, other] = apps as [App, App]
    for (let n = 0; n < 100; n++) {
      const outcome = await race(app, other, lead)
      seen.add(outcome)
      step = outcome === last ? step * 2 : 1
      last = outcome
      lead += outcome === 'heard' ? step : -step
    }
    if (hundred === HUNDREDS.length) expect([...seen].toSorted()).toEqual(['ended', 'heard'])
  },
)

test('P2: a message that is sent while the process of an idle agent ends is heard once, in this run or in the next', async () => {
  await using project = await aProject({ script: ['Ready.', 'Heard.'] })
  for (const lead of [850, 950, 1_050]) {
    const name = `after-${lead}`
    await agents(project, 'spawn', '--interactive', '--idle-timeout', '1', '--name', name, 'begin')
    await until(project, name, 'idle', 'done')
    await delay(lead)
    expect(await agents(project, 'send', name, '--wait', 'wait')).toMatchObject({ exit: 0, stdout: 'Heard.\n' })
    const { stdout } = await agents(project, 'logs', name)
    expect([stdout.match(/^ana: wait$/gm), stdout.match(/: Heard\.$/gm)]).toMatchObject([{ length: 1 }, { length: 1 }])
  }
  await endAgents(project)
})
