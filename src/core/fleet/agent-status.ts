import type { RunStatus } from '../journal/thread.ts'
import type { Termination } from '../run/termination.ts'
import type { TaskStatus } from '../task/task.ts'
import { HOST_BEAT_MS } from './fleet-host.ts'
import type { TurnError } from './presence.ts'

/** True for a status that an agent leaves only if it gets something else to do. */
// biome-ignore format: the table is the documentation
export const AGENT_IS_OVER = {
  queued: false, spawning: false, running: false, waiting: false, idle: false, parked: false, killing: false,
  killed: true, done: true, failed: true, crashed: false, unreachable: false,
}

/** Derived from rows at each look, never stored, so it is right after any restart. */
export type AgentStatus = keyof typeof AGENT_IS_OVER
export const AGENT_STATUSES = Object.keys(AGENT_IS_OVER) as readonly AgentStatus[]

/** True for a status that stays unless a person or a program does something. */
// biome-ignore format: the table is the documentation
const AGENT_RESTS: Record<AgentStatus, boolean> = {
  queued: false, spawning: false, running: false, killing: false,
  waiting: true, idle: true, parked: true, crashed: true, unreachable: true,
  killed: true, done: true, failed: true,
}

/** After an outage of the store every host looks gone, and each is seen again within one beat. */
const UNREACHABLE_MS = 2 * HOST_BEAT_MS

/**
 * Returns a check for one wait. An unreachable agent counts as resting only after two beats, by the clock of the
 * waiter.
 */
export function agentRest(clock: { steady(): number }): (status: AgentStatus) => boolean {
  let since: number | null = null
  return status => {
    since = status === 'unreachable' ? (since ?? clock.steady()) : null
    return AGENT_RESTS[status] && (since === null || clock.steady() - since >= UNREACHABLE_MS)
  }
}

/** The facts about one agent from its rows in the store. */
export interface AgentFacts {
  readonly task: {
    readonly status: TaskStatus
    readonly cancel_requested_by: string | null
    /** True if its newest invocation has a supervisor. */
    readonly isSupervised: boolean
    /** True if its process stays for the next message. */
    readonly isInteractive: boolean
    /** Why its process has no exit of its own. */
    readonly error: TurnError | null
  }
  /** `null`: its run is no longer in this store. */
  readonly run: {
    readonly status: RunStatus
    /** The type of its termination. */
    readonly ended: string | null
    /** True if a process has the lease of it. */
    readonly isLeased: boolean
    /** ISO time until which it waits for the provider of its model; `null` if it does not. */
    readonly retry_at: string | null
  } | null
  /** The open holds of its run. */
  readonly holds: {
    /** Approvals and questions: a person is needed. */
    readonly asks: number
    /** True if it waits for the next message. */
    readonly isTextPause: boolean
  }
  /** Its host, if that counts as gone: the rows of its process may be outdated. `null`: its host is there. */
  readonly gone_host: { readonly name: string; readonly seen_at: string | null } | null
  /** `null` if no process of it is there, or its process certainly is gone. */
  readonly presence: { readonly last_error: TurnError | null } | null
}

/** A status, and why in words. */
export interface AgentStanding {
  readonly status: AgentStatus
  readonly because: string
}

type Rule = (facts: AgentFacts) => AgentStanding | null

/** The first rule with a result counts. */
const RULES: readonly Rule[] = [
  ({ task, gone_host }) =>
    task.cancel_requested_by !== null && isUnderWay(task.status) && gone_host === null
      ? so('killing', `${task.cancel_requested_by} asked to end it, and its process is still there`)
      : null,
  ({ task }) => (task.status === 'cancelled' ? so('killed', 'it was ended for good') : null),
  ({ task }) => (task.status === 'timed_out' ? so('failed', 'its time was over') : null),
  facts => (needsHost(facts) ? unreachable(facts) : null),
  facts => (facts.run === null ? withoutRun(facts) : null),
  facts => (facts.run?.status === 'done' ? ended(facts, facts.run.ended) : null),
  facts => (facts.run?.status === 'waiting' ? waiting(facts) : null),
  underWay,
]

/** Total: rows of any state have a status. */
export function agentStanding(facts: AgentFacts): AgentStanding {
  for (const rule of RULES) {
    const status = rule(facts)
    if (status) return status
  }
  return so('running', 'its run goes on')
}

/**
 * True if only its host knows the fate of its process, or can start the next one. People may decide without the host.
 */
function needsHost({ task, run, holds }: AgentFacts): boolean {
  if (run?.status === 'done') return false
  if (isUnderWay(task.status)) return holds.asks === 0
  return task.status === 'paused' && run?.status === 'running'
}

function unreachable({ gone_host, task }: AgentFacts): AgentStanding | null {
  if (gone_host === null) return null
  const wish = task.cancel_requested_by === null ? '' : `; ${task.cancel_requested_by} asked to end it`
  return so('unreachable', `${goneText(gone_host)}${wish}`)
}

/** A host on which nothing looks after agents. */
export function goneText({ name, seen_at }: NonNullable<AgentFacts['gone_host']>): string {
  const seen = seen_at === null ? 'no daemon was ever seen there' : `a daemon was seen there last at ${seen_at}`
  return `its host ${name} is gone: ${seen}`
}

function isUnderWay(status: TaskStatus): boolean {
  return status === 'pending' || status === 'running'
}

// biome-ignore format: the table is the documentation
const WITHOUT_RUN: Record<TaskStatus, AgentStanding> = {
  pending:   so('queued', 'it waits for a slot'),
  running:   so('running', 'its process runs'),
  paused:    so('failed', 'its run is in this store no more'),
  completed: so('done', 'it came to its end'),
  failed:    so('failed', 'its process failed'),
  cancelled: so('killed', 'it was ended for good'),
  timed_out: so('failed', 'its time was over'),
}

function withoutRun({ task }: AgentFacts): AgentStanding {
  return WITHOUT_RUN[task.status]
}

// biome-ignore format: the table is the documentation
const BY_END: Record<Termination['type'], AgentStanding> = {
  natural_end:        so('done', 'it came to its end'),
  behavior_requested: so('done', 'a plugin ended its run'),
  stopped:            so('failed', 'its run was stopped before its end'),
  cancelled:          so('killed', 'its run was cancelled'),
  blocked:            so('failed', 'its run was blocked'),
  error:              so('failed', 'its run failed'),
}

/** True if it goes on from where it stopped, without another message. */
export function mayResume({ status, because }: AgentStanding): boolean {
  return status === 'crashed' || (status === 'failed' && because.startsWith(BY_END.error.because))
}

/** The task decides whether a stopped run is complete: the type of its end does not tell enough. */
function ended({ task, presence }: AgentFacts, type: string | null): AgentStanding {
  if (presence?.last_error) return so('idle', idleBecause(presence.last_error))
  if (task.status === 'completed') return BY_END.natural_end
  const known = type !== null && Object.hasOwn(BY_END, type) ? BY_END[type as Termination['type']] : null
  return known ?? so('done', 'its run is over')
}

function waiting({ task, holds, presence }: AgentFacts): AgentStanding {
  if (holds.asks > 0)
    return so('waiting', holds.asks === 1 ? 'one hold waits for a person' : `${holds.asks} holds wait for people`)
  if (presence !== null) return so('idle', idleBecause(presence.last_error))
  if (task.status === 'pending') return starting(task.isSupervised)
  return holds.isTextPause
    ? so('parked', 'it waits for a message, without a process')
    : so('waiting', 'what it waits for is about to be decided')
}

function idleBecause(error: TurnError | null): string {
  return error === null ? 'it waits for a message' : `it waits for a message; its last turn failed: ${error.message}`
}

function starting(isSupervised: boolean): AgentStanding {
  return isSupervised ? so('spawning', 'its process starts') : so('queued', 'it waits for a slot')
}

/** The status of an agent whose run could be advanced now. */
function underWay({ task, run, presence }: AgentFacts): AgentStanding {
  if (task.status === 'pending') return starting(task.isSupervised)
  if (run?.isLeased) return so('running', 'its run goes on')
  if (run?.retry_at) return so('running', `it waits for the provider until ${run.retry_at}`)
  if (task.status === 'failed') return so('crashed', crashedBecause(task.error))
  if (task.status === 'paused') return so('queued', 'everything is decided; its next process is about to start')
  if (task.isInteractive && presence === null) return so('spawning', 'its process starts')
  return so('running', 'its run goes on')
}

function crashedBecause(error: TurnError | null): string {
  return `its process was lost, and its run can go on${error === null ? '' : `: ${error.message}`}`
}

function so(status: AgentStatus, because: string): AgentStanding {
  return { status, because }
}
