import type { Decision } from '../core/decision.ts'
import type { Hold, HoldKind } from '../core/hold.ts'
import type { Message } from '../core/message.ts'
import type { Profile } from '../core/profile.ts'
import type { Counters } from '../core/stop-condition.ts'
import type { Termination } from '../core/termination.ts'
import { type RunStatus, runStatus, type Thread } from '../core/thread.ts'
import type { ToolCall } from '../core/tool-call.ts'
import type { Usage } from '../core/usage.ts'

export interface DecidedHold {
  readonly id: string
  readonly kind: HoldKind
  readonly call_id: string | null
  readonly decision: Decision
}

/** A run as it stands: what a host shows. */
export interface RunView {
  readonly id: string
  readonly thread_id: string
  readonly status: RunStatus
  readonly termination: Termination | null
  /** The newest one; what `-c` takes. */
  readonly checkpoint_id: string | null
  /** The open ones, in full. */
  readonly holds: readonly Hold[]
  /** Those of the step under way that were decided. */
  readonly decided: readonly DecidedHold[]
  /** The calls of the step under way, in the order in which the model asked for them. */
  readonly calls: readonly ToolCall[]
  /** As the model would get them. */
  readonly messages: readonly Message[]
  /** Inference rounds so far, those of the runs that this one continues included. */
  readonly steps: number
  readonly usage: Usage
  readonly counters: Counters
  /** What the model said last; empty where it said nothing. */
  readonly answer: string
  readonly profile: Profile
}

export function runView(thread: Thread, holds: readonly Hold[]): RunView | null {
  const { run } = thread
  if (!run) return null
  return {
    id: run.id,
    thread_id: thread.id,
    status: runStatus(run),
    termination: run.termination,
    checkpoint_id: run.checkpoint?.id ?? null,
    holds,
    decided: [...run.holds.values()].flatMap(hold => (hold.decision ? [{ ...hold, decision: hold.decision }] : [])),
    calls: [...(run.step?.calls.values() ?? [])],
    messages: thread.messages,
    steps: run.steps,
    usage: run.usage,
    counters: run.counters,
    answer: run.answer,
    profile: run.profile,
  }
}
