/** Runs that nobody's patience helps: they could go on, and no process goes on with them. */
import type { RunStatus } from '../journal/thread.ts'
import type { RefusalCode } from '../refusal-codes.ts'
import type { Exported } from '../run/exported.ts'

/** Why the newest try to advance a run failed, as its row has it. */
export interface AdvanceFailure {
  readonly code: string
  readonly message: string
  /** The next step; `null` if the error has none. */
  readonly hint: string | null
  /** ISO time. It counts as long as the run has not moved on since. */
  readonly at: string
}

/** A process that works on the runs of a store. */
export interface Working {
  /** The agents that its program defines, by name. */
  readonly agents: readonly string[]
}

/** Why a run does not go on, and the way out. */
export interface StuckRun {
  /** `no_worker`, `unknown_agent`, or the code of the error by which its newest advance failed. */
  readonly code: string
  /** A sentence for people. */
  readonly message: string
  /** The next step. */
  readonly hint: string
}

/** The part of a run's row that shows whether it is stuck. */
export interface RestingRun {
  readonly id: string
  readonly agent: string
  readonly status: RunStatus
  readonly exported: Exported | null
  readonly updated_at: string
  readonly failure: AdvanceFailure | null
  /** ISO time until which it waits for the provider of its model; `null` if it does not. */
  readonly retry_at: string | null
}

/** Milliseconds for which a ready run may wait for a worker. */
export const PATIENCE_MS = 60_000
/** Milliseconds from one sign of life of a worker to the next. */
export const BEAT_MS = 30_000
/** A worker that was silent for so long counts as gone, unless its process is seen to live. */
export const SILENCE_MS: number = 3 * BEAT_MS

/** Failures that time does not mend: a person must. `unknown_agent` is one only if no living process knows the agent. */
const LASTING: ReadonlySet<string> = new Set<RefusalCode | 'corrupt_journal'>([
  'agent_not_in_file',
  'colliding_tools',
  'corrupt_journal',
  'dead_rules',
  'invalid_agent',
  'invalid_api_key',
  'invalid_base_url',
  'invalid_config',
  'invalid_model',
  'invalid_plugin',
  'invalid_policy',
  'invalid_price',
  'invalid_script',
  'invalid_timeout',
  'invalid_tool',
  'missing_api_key',
  'missing_base_url',
  'missing_variable',
  'no_model',
  'no_workdir',
  'project_not_trusted',
  'server_within_server',
  'unknown_agent',
  'unknown_model',
  'unknown_tool',
  'unreadable_file',
  'unsafe_address',
])

/** True if a look at who works is worth its cost. The run has no living owner. */
export function maybeStuck(run: RestingRun, now: number): boolean {
  if (run.status !== 'running' || run.exported !== null) return false
  const readyAt = Date.parse(run.retry_at ?? run.updated_at)
  return lastingFailure(run) !== null || now - readyAt >= PATIENCE_MS
}

/** `null` if the run goes on sooner or later. The run has no living owner. */
export function stuckRun(run: RestingRun, working: readonly Working[], now: number): StuckRun | null {
  if (!maybeStuck(run, now)) return null
  const failure = lastingFailure(run)
  const isKnown = working.some(({ agents }) => agents.includes(run.agent))
  if (failure !== null && !(failure.code === 'unknown_agent' && isKnown)) return asStuck(run, failure)
  return working.length === 0 ? WITHOUT_WORKER : null
}

function lastingFailure({ failure, updated_at }: RestingRun): AdvanceFailure | null {
  return failure !== null && LASTING.has(failure.code) && failure.at >= updated_at ? failure : null
}

function asStuck({ agent }: RestingRun, { code, message, hint }: AdvanceFailure): StuckRun {
  if (code !== 'unknown_agent') return { code, message, hint: hint ?? GO_ON }
  return {
    code,
    message: `No running process knows the agent ${agent}.`,
    hint: 'Start the program that defines it, or go on with the file of the agent.',
  }
}

const GO_ON = 'Keep a worker or a server running, or resume the run.'

const WITHOUT_WORKER: StuckRun = {
  code: 'no_worker',
  message: 'No process works on the runs of this store.',
  hint: GO_ON,
}
