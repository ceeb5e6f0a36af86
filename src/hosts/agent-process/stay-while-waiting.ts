/**
 * The time of an agent in which its run waits. An open approval has a deadline of its own, and no other clock runs. At a
 * text pause the idle clock runs (core/fleet/idle-clock.ts).
 * L1  To end and a message at the same moment are two decisions on one hold: one wins, and the run goes on from it.
 * L2  A process that leaves has answered what its clients asked, and its run still waits.
 */
import type { Alarm } from '../../async/alarm.ts'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { idleEndsAt } from '../../core/fleet/idle-clock.ts'
import { IDLE_TIMEOUT } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import type { Task } from '../../core/task/task.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { AgentContext, AgentPlace } from './place.ts'
import { wakeOnGrowth } from './presence-row.ts'

/** A change without a notice is seen after so many milliseconds. */
const SAFETY_MS = 10_000
/** The shortest time from one look to the next, in milliseconds. */
const REST_MS = 10
/** Until the next look after one that failed. */
const RETRY_MS = 1_000
const SIGNED: string = 'holdpoint'

/** Facts that only this process knows. Times are in milliseconds since 1970. */
interface Attendance {
  readonly clients: number
  readonly last_left_at: number | null
  readonly last_input_at: number | null
  /** The client that asked for the end once the turn is over. */
  readonly ends_after_turn: string | null
}

interface StayDeps {
  readonly site: AgentContext
  readonly place: AgentPlace
  /** The newest turn failed for a while: the run is over, and a message begins the next one. */
  readonly hasFailed: boolean
  readonly signal: AbortSignal
  attendance(): Attendance
  /** Rung when clients come, leave or ask. */
  readonly alarm: Alarm
  /** Called after each look that found the agent waiting. */
  looked(): void
  /** Called after each look that failed. */
  failed(problem: string): void
  /** Resolves once what clients asked so far is answered. */
  answered(): Promise<void>
}

/** `ready`: the run can be advanced; `next`: that one, which follows it. `parked`, and `yielded` to one that waits for a place: it waits on, without this process. */
export type StayOutcome = 'ready' | 'parked' | 'yielded' | 'stopped' | { readonly next: string }

export async function stayWhileWaiting(deps: StayDeps): Promise<StayOutcome> {
  const { site, signal, alarm } = deps
  const { clock } = site
  const since = clock.steady()
  using _watch = wakeOnGrowth(site, deps.place.thread_id, () => alarm.ring())
  for (;;) {
    if (signal.aborted) return 'stopped'
    alarm.reset()
    const { over, wakeAt } = await lookSafely(deps, since)
    if (over) return over
    await clock.sleep(REST_MS, signal).catch(() => {})
    await alarm.sleep(Math.min(wakeAt - clock.steady(), SAFETY_MS), signal)
  }
}

interface SafeLook {
  readonly over: StayOutcome | null
  /** By the steady clock, as all times of an idle agent in its own process. */
  readonly wakeAt: number
}

/** A store that fails for a while ends no agent that waits: the next look may go well. */
async function lookSafely(deps: StayDeps, since: number): Promise<SafeLook> {
  try {
    const { over, endsAt } = await (deps.hasFailed ? lookForNext(deps, since) : look(deps, since))
    if (over) return { over, wakeAt: 0 }
    deps.looked()
    const { holdpoint, clock } = deps.site
    const due = await holdpoint.nextDue()
    const never = Number.POSITIVE_INFINITY
    const dueAt = due === null ? never : clock.steady() + Date.parse(due) - clock.now()
    return { over: null, wakeAt: Math.min(endsAt ?? never, dueAt) }
  } catch (thrown) {
    if (thrown instanceof RefusedError || isStoreGone(thrown)) throw thrown
    deps.failed(messageOf(thrown))
    return { over: null, wakeAt: deps.site.clock.steady() + RETRY_MS }
  }
}

interface Look {
  readonly over: StayOutcome | null
  readonly endsAt: number | null
}

const WAITS: Look = { over: null, endsAt: null }
const READY: Look = { over: 'ready', endsAt: null }

async function look(deps: StayDeps, since: number): Promise<Look> {
  const { site, place, attendance } = deps
  await site.holdpoint.expireHolds()
  const run = await site.store.run(place.run_id)
  if (run?.status !== 'waiting') return lookAtOutage(deps, { run, since })
  const open = await site.store.holds({ run_id: place.run_id, status: 'open' })
  const [pause] = open
  if (open.length !== 1 || pause?.kind !== 'input') return WAITS
  const { ends_after_turn, ...here } = attendance()
  if (ends_after_turn !== null) return finish(deps, pause, { by: ends_after_turn, reason: 'ended by a client' })
  const endsAt = idleEndsAt({ ...here, idle_since: since }, place.settings)
  const isDue = endsAt !== null && endsAt <= site.clock.steady()
  if (!isDue) return (await makesRoom(site, place, here.clients)) ? leave(deps, 'yielded') : { over: null, endsAt }
  return place.settings.on_idle === 'park'
    ? leave(deps, 'parked')
    : finish(deps, pause, { by: SIGNED, reason: IDLE_TIMEOUT })
}

/**
 * A run that waits for the provider of its model is not ready. If the provider takes longer than the agent may be idle, a
 * daemon goes on with the run.
 */
function lookAtOutage(
  { site, place, attendance }: StayDeps,
  { run, since }: { readonly run: RunRow | null; readonly since: number },
): Look {
  if (run?.status !== 'running' || run.retry_at === null || Date.parse(run.retry_at) <= site.clock.now()) return READY
  const { ends_after_turn: _, ...here } = attendance()
  const endsAt = idleEndsAt({ ...here, idle_since: since }, place.settings)
  return { over: endsAt !== null && endsAt <= site.clock.steady() ? 'parked' : null, endsAt }
}

/** Any door may begin the next run of the session. */
async function lookForNext({ site, place, attendance }: StayDeps, since: number): Promise<Look> {
  const [newest] = await site.store.runs({ thread_id: place.thread_id, limit: 1 })
  if (newest && newest.id !== place.run_id && newest.status !== 'done')
    return { over: { next: newest.id }, endsAt: null }
  const { ends_after_turn, ...here } = attendance()
  const endsAt = idleEndsAt({ ...here, idle_since: since }, place.settings)
  const isOver = ends_after_turn !== null || (endsAt !== null && endsAt <= site.clock.steady())
  return { over: isOver ? 'parked' : null, endsAt }
}

/**
 * The run is ready after the first decision, by any decider. A decision resolves once this process takes its run up, so
 * this process advances the run as soon as the decision is on record.
 */
async function finish(
  { site, place }: StayDeps,
  { id }: Hold,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<Look> {
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const lookForEnd = async () => {
    if ((await site.store.run(place.run_id))?.status !== 'waiting') resolve()
  }
  // A store that fails for a while is asked again at the next change.
  using _watch = site.holdpoint.watch(() => void lookForEnd().catch(() => {}))
  const decided = site.holdpoint.decide(id, { verdict: 'approve', reason, decided_by: by, surface: SIGNED })
  await Promise.race([decided, ready])
  return READY
}

async function leave({ site, place, answered }: StayDeps, over: 'parked' | 'yielded'): Promise<Look> {
  await answered()
  const run = await site.store.run(place.run_id)
  return run?.status === 'waiting' ? { over, endsAt: null } : READY
}

const KIND = 'agent'

/**
 * True if an idle agent is to park at once, because another one waits for its place. It loses nothing by that, so one that
 * would end when its time is over parks too. Of several idle agents only as many do so as wait: the first ones by id.
 */
async function makesRoom(
  { store }: Pick<AgentContext, 'store'>,
  { task_id }: Pick<AgentPlace, 'task_id'>,
  clients: number,
): Promise<boolean> {
  if (clients > 0) return false
  const running = await store.tasks.tasks({ kind: KIND, status: 'running' })
  const own = running.find(({ id }) => id === task_id)
  if (own === undefined) return false
  const waiting = (await waitingAgents(store)).filter(({ host }) => host === own.host)
  if (waiting.length === 0) return false
  // Each host has a queue of its own.
  const earlier = running.filter(({ id, host }) => host === own.host && id < task_id)
  const leaving = await Promise.all(earlier.map(task => leavesSoon(store, task)))
  return leaving.filter(Boolean).length < waiting.length
}

async function waitingAgents(store: AgentContext['store']): Promise<Task[]> {
  const pending = await store.tasks.tasks({ kind: KIND, status: 'pending' })
  return pending.filter(({ invocation }) => waitsForTurn(invocation))
}

/** The other agent is idle too, or its process has just left: its place will be free. */
async function leavesSoon(store: AgentContext['store'], { id, subject }: Task): Promise<boolean> {
  if (subject === null) return false
  const presence = await store.presences.find(id)
  if (presence !== null && presence.clients > 0) return false
  const run = await store.run(subject)
  if (run?.status !== 'waiting') return false
  const open = await store.holds({ run_id: run.id, status: 'open' })
  return open.length === 1 && open[0]?.kind === 'input'
}
