import type { StuckRun } from '../../core/advancing/stuck-run.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Hold, HoldKind } from '../../core/hold/hold.ts'
import { markedNever } from '../../core/hold-view/marked-never.ts'
import type { Message } from '../../core/journal/message.ts'
import { type RunStatus, runStatus, type Thread } from '../../core/journal/thread.ts'
import { newestPlan, type Plan } from '../../core/plan/plan.ts'
import type { Outage } from '../../core/run/outcome/outage.ts'
import type { RunFailure } from '../../core/run/outcome/run-failure.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Counters } from '../../core/run/stop-condition.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { RunUsage } from '../../core/run/usage/usage.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import { warningsOf } from '../../core/run/warnings/warnings-of.ts'
import type { Json } from '../../core/text/json.ts'

/** A hold of the run with its decision. */
export interface DecidedHold {
  readonly id: string
  readonly kind: HoldKind
  readonly call_id: string | null
  readonly decision: Decision
}

/** The current state of a run, for hosts to show. */
export interface RunView {
  readonly id: string
  readonly thread_id: string
  readonly status: RunStatus
  readonly termination: Termination | null
  /** How the last program that it ran failed; `null` if that went well, or it ran none. */
  readonly failed: RunFailure | null
  /** The newest one; what `-c` takes. */
  readonly checkpoint_id: string | null
  /** The open ones, in full. */
  readonly holds: readonly Hold[]
  /** The decided holds of the step under way. */
  readonly decided: readonly DecidedHold[]
  /** If the agent asks a question: its earlier questions in this run, and the answers, oldest first. */
  readonly answers: readonly EarlierAnswer[]
  /** The calls of the step under way, in the order in which the model asked for them. */
  readonly calls: readonly ToolCall[]
  /** The list of steps that the agent wrote last; `null` if it wrote none. */
  readonly plan: Plan | null
  /** The messages as the model would get them. */
  readonly messages: readonly Message[]
  /** Inference rounds so far, those of the runs that this one continues included. */
  readonly steps: number
  readonly usage: RunUsage
  readonly counters: Counters
  /** The model's last text; empty if there is none. */
  readonly answer: string
  readonly profile: Profile
  /** The authors of the agent's input; empty if the newest one is unknown. */
  readonly requesters: readonly string[]
  /** What the starter should know in addition to the outcome: calls that were refused without a person. */
  readonly warnings: readonly RunWarning[]
  /** Why it does not go on although it could; `null` if it does, waits or is done, or if this is an earlier state. */
  readonly stuck: StuckRun | null
  /** Why it waits for the provider of its model, and until when; `null` if it does not. */
  readonly outage: Outage | null
}

/** A run without the messages of its thread. */
export type RunOutline = Omit<RunView, 'messages'>

/** A question of the run that has been answered. */
export interface EarlierAnswer {
  readonly question: string
  readonly answer: Json
  readonly answered_by: string
}

/** `asked`: questions of the run that are closed, oldest first. */
export function runView(thread: Thread, holds: readonly Hold[], asked: readonly Hold[] = []): RunView | null {
  const outline = runOutline(thread, holds, asked)
  return outline && { ...outline, messages: thread.messages }
}

/** The same of a thread whose old messages have no contents: see `lightFold`. */
export function runOutline(thread: Thread, holds: readonly Hold[], asked: readonly Hold[] = []): RunOutline | null {
  const { run } = thread
  if (!run) return null
  return {
    id: run.id,
    thread_id: thread.id,
    status: runStatus(run),
    termination: run.termination,
    failed: run.failed,
    checkpoint_id: run.checkpoint?.id ?? null,
    holds: holds.map(hold => markedNever(hold, run.holds.get(hold.id))),
    decided: [...run.holds.values()].flatMap(hold => (hold.decision ? [{ ...hold, decision: hold.decision }] : [])),
    answers: asked.flatMap(answerOf),
    calls: [...(run.step?.calls.values() ?? [])],
    plan: newestPlan(thread.messages),
    steps: run.steps,
    usage: run.usage,
    counters: run.counters,
    answer: run.answer,
    profile: run.profile,
    requesters: run.unsigned ? [] : [...run.requesters],
    warnings: warningsOf(run),
    stuck: null,
    outage: runStatus(run) === 'running' ? run.outage : null,
  }
}

function answerOf({ message, decision }: Hold): EarlierAnswer[] {
  if (decision?.verdict !== 'respond') return []
  return [{ question: message, answer: decision.value, answered_by: decision.decided_by }]
}

/** What a run that is over came to. */
export interface RunResult extends Pick<RunView, 'failed'> {
  readonly final_message: string
  readonly termination: Termination
}

/** `null` if the run is not over. */
export function runResult({ termination, answer: final_message, failed }: RunView): RunResult | null {
  return termination && { final_message, termination, failed }
}
