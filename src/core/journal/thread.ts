import type { Amount } from '../count.ts'
import type { EndedCall } from '../doubt/called-before.ts'
import type { GivenApproval } from '../hold/approval-request.ts'
import type { Decision } from '../hold/decision.ts'
import type { HoldKind, ResumeMode } from '../hold/hold.ts'
import type { ContextState } from '../run/context/context-state.ts'
import type { ModelSwitch, Outage, StandIn } from '../run/outcome/outage.ts'
import type { RunFailure } from '../run/outcome/run-failure.ts'
import type { Discarded, Unfinished } from '../run/outcome/unfinished-answer.ts'
import type { Pinned, Profile } from '../run/profile.ts'
import type { ContextRepair } from '../run/repair/context-repair.ts'
import { type Counters, NO_COUNTERS } from '../run/stop-condition.ts'
import type { Termination } from '../run/termination.ts'
import { stepStatus, type ToolCall } from '../run/tool-call.ts'
import { NO_USAGE, type RunUsage } from '../run/usage/usage.ts'
import { type CountedCalls, NO_CALLS } from '../run/warnings/counted-calls.ts'
import type { Warner } from '../run/warnings/run-warning.ts'
import type { Json } from '../text/json.ts'
import type { CheckpointReason, EventData } from './event.ts'
import type { Message, QueuedMessage } from './message.ts'

/** One hold in the journal: the hold's own row has the request, the call has the arguments. */
export interface HoldState {
  readonly id: string
  readonly kind: HoldKind
  readonly call_id: string | null
  readonly digest: string | null
  readonly because: string
  readonly plugin: string | null
  readonly resume_mode: ResumeMode
  /** Approvals before the last one, if several people must approve. */
  readonly votes?: readonly Decision[]
  readonly decision: Decision | null
  /** The real place that its call led to when it was opened. */
  readonly leads_to?: string
  /** The digest of the value that its tool may confirm. */
  readonly basis?: string
  /** The digest of the preview that was shown, and the digest of the call without it. */
  readonly preview?: string
  readonly bare_digest?: string
  /** True if it cannot be decided any more. */
  readonly withdrawn: boolean
}

/** A position of the journal that a resume can name. */
export interface Checkpoint {
  readonly id: string
  readonly seq: Amount
  readonly reason: CheckpointReason
}

/** The inference round under way: from the model's answer to the end of its calls. */
export interface Step {
  readonly number: Amount
  readonly text: string
  readonly calls: Map<string, ToolCall>
}

/** The newest step that is over. */
export interface EndedStep {
  readonly text: string
  /** Names of the tools whose calls succeeded. */
  readonly ran: readonly string[]
  /** Names of all tools that were called. */
  readonly called: readonly string[]
}

export interface Run {
  readonly id: string
  profile: Profile
  readonly pinned: Pinned | null
  /** Inference rounds and tokens, those of the runs that this one continues included. */
  steps: number
  usage: RunUsage
  counters: Counters
  step: Step | null
  ended_step: EndedStep | null
  /** Holds of the step under way, newest last, and the pending input hold. */
  holds: Map<string, HoldState>
  /** The authors of the agent's input, in this run and before. */
  requesters: Set<string>
  /** True if the last input had no author. */
  unsigned: boolean
  /** Its first message; `null` if it has none yet. */
  task: Pick<QueuedMessage, 'content' | 'author'> | null
  /** Approvals of `request_approval`, by what they are for: see `approvalKey`. */
  approvals: Map<string, GivenApproval>
  /** Digests that were rejected in this run, with the reason. */
  rejected: Map<string, string | null>
  checkpoint: Checkpoint | null
  /** The newest checkpoint that people know of. */
  announced: Checkpoint | null
  cancel: { readonly by: string; readonly reason: string | null } | null
  /** The end of the run, once only its plugins remain to be informed. */
  ending: Termination | null
  termination: Termination | null
  /** The exit of the last program that it ran, if that failed. */
  failed: RunFailure | null
  /** Messages that arrived while the run was under way, and are not yet part of the conversation. */
  queue: QueuedMessage[]
  /** True once the plugins know that the run started. */
  run_start_passed: boolean
  /** Persistent state of plugins, by name. */
  plugin_states: Map<string, Json>
  /** How often a plugin made the run go on since the last input of a person. */
  forced: number
  /** The model's last text; empty if there is none. */
  answer: string
  /** Why the model ended it, in the provider's word; empty if there is none. */
  finish_reason: string
  /** Why its newest answer is no end of the work; `null` if that counts as it is, or somebody spoke since. */
  unfinished: Unfinished | null
  /** Why the model was asked again; `null` once it gave an answer that counts, or somebody spoke. */
  asked_again: Discarded | null
  /** Why it waits for the provider of its model; `null` once the model answered. */
  outage: Outage | null
  /** The model that stands in for its own; `null` if that is asked. */
  stand_in: StandIn | null
  /** The models that stood in for its own, and why the first of them had to. */
  switches: readonly ModelSwitch[]
  /** The parts that were left out of its requests, and how often the request under way was repaired. */
  repairs: readonly ContextRepair[]
  repaired: number
  /** Why its conversation could not be summarized; `null` if it was, or never had to be. */
  unsummarized: string | null
  /** True once the model asks for nothing that may run: the run ends, or a person decides how it goes on. */
  concluding: boolean
  /** Calls that were refused without a person, and those that ran because the policy only observes. */
  refused: CountedCalls
  observed: CountedCalls
  /** Servers and tools that cannot be used, with the reason. */
  left_out: ReadonlyMap<string, string>
  /** What tools want people to know, and which. */
  warned: ReadonlyMap<string, Warner>
}

/** The initial state of a run after the run before it on its thread. */
export function newRun(id: string, { profile, carried, pinned }: EventData['run.started'], before: Run | null): Run {
  return {
    id,
    profile,
    pinned,
    steps: carried?.steps ?? 0,
    usage: carried?.usage ?? NO_USAGE,
    counters: carried?.counters ?? NO_COUNTERS,
    step: null,
    ended_step: null,
    holds: new Map(),
    // Requesters of earlier runs in the conversation asked for this too.
    requesters: new Set(before?.requesters),
    unsigned: before?.unsigned ?? false,
    // A run that goes on with the work of another has its task.
    task: carried ? (before?.task ?? null) : null,
    approvals: new Map(),
    rejected: new Map(),
    checkpoint: null,
    announced: null,
    cancel: null,
    ending: null,
    termination: null,
    failed: null,
    // Messages that the last run left unheard are heard now.
    queue: [...(before?.queue ?? [])],
    run_start_passed: false,
    plugin_states: new Map(carried ? before?.plugin_states : []),
    forced: 0,
    answer: '',
    finish_reason: '',
    unfinished: null,
    asked_again: null,
    outage: null,
    stand_in: null,
    switches: [],
    repairs: [],
    repaired: 0,
    unsummarized: null,
    concluding: false,
    refused: NO_CALLS,
    observed: NO_CALLS,
    left_out: new Map(),
    warned: new Map(),
  }
}

/**
 * The folded state of a journal. One process owns it while it advances the run, so it is built in place. Its values are
 * never changed, only replaced.
 */
export interface Thread {
  readonly id: string
  seq: number
  /** The model's view, up to the last finished step and the answer under way. */
  messages: Message[]
  /** So many of the first messages have no contents here: see `lightFold`. 0 in a fold of the whole journal. */
  readonly left_out: number
  /** The newest event that its kept fold has; 0 if none is kept. */
  kept_to: number
  call_ids: Set<string>
  run: Run | null
  /** Calls whose tool ran, oldest first. */
  ended: EndedCall[]
  /** The ends of the thread's earlier runs, by run. */
  finished: Map<string, Termination>
  /** The parts that some provider is not sent any more. */
  repairs: readonly ContextRepair[]
  /** How many of the messages each provider has answered. */
  accepted: Map<string, number>
  context: ContextState
}

/** A copy that stays unchanged while the thread goes on. */
export function snapshotOf(thread: Thread): Thread {
  const { messages, call_ids, ended, finished, accepted, run } = thread
  return {
    ...thread,
    messages: [...messages],
    call_ids: new Set(call_ids),
    ended: [...ended],
    finished: new Map(finished),
    accepted: new Map(accepted),
    run: run && {
      ...run,
      step: run.step && { ...run.step, calls: new Map(run.step.calls) },
      holds: new Map(run.holds),
      requesters: new Set(run.requesters),
      approvals: new Map(run.approvals),
      rejected: new Map(run.rejected),
      queue: [...run.queue],
      plugin_states: new Map(run.plugin_states),
    },
  }
}

/** docs/design/runs.md#run-status */
export type RunStatus = (typeof RUN_STATUSES)[number]

export const RUN_STATUSES = ['running', 'waiting', 'done'] as const

export function openHolds(run: Run): HoldState[] {
  return [...run.holds.values()].filter(hold => hold.decision === null && !hold.withdrawn)
}

export function runStatus(run: Run): RunStatus {
  if (run.termination) return 'done'
  // A run that is about to end waits for no decision.
  if (run.ending || run.cancel || openHolds(run).length === 0) return 'running'
  const calls = [...(run.step?.calls.values() ?? [])]
  if (run.profile.hold_scope === 'batch')
    return calls.some(({ status }) => status === 'running') ? 'running' : 'waiting'
  return stepStatus(calls) === 'running' ? 'running' : 'waiting'
}
