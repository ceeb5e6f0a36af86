import type { Amount } from '../count.ts'
import type { Decision } from '../hold/decision.ts'
import type { HoldKind, ResumeMode } from '../hold/hold.ts'
import type { AnswerPart, Content, ContentPart } from '../message/part.ts'
import type { FinalAction } from '../people/due.ts'
import { type Plain, plain } from '../plain/plain.ts'
import type { Compaction, RequestedCompaction } from '../run/context/compaction.ts'
import type { ModelSwitch, Outage } from '../run/outcome/outage.ts'
import type { Unfinished } from '../run/outcome/unfinished-answer.ts'
import type { Pinned, Profile, ProfileChanges } from '../run/profile.ts'
import type { ContextRepair } from '../run/repair/context-repair.ts'
import type { Carried } from '../run/stop-condition.ts'
import type { Termination } from '../run/termination.ts'
import type { CallError, CallStatus, FittedArguments } from '../run/tool-call.ts'
import type { Usage } from '../run/usage/usage.ts'
import type { Setting } from '../run/widening.ts'
import type { Json, JsonObject } from '../text/json.ts'

/** Why a checkpoint was named. Only `pause`, `end` and `interrupted` are announced to people. */
export type CheckpointReason = 'step' | 'pause' | 'end' | 'interrupted'

/** A call as it enters the journal. `provider_id` is the provider's id for it, if that was taken already. */
export interface JournalledCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
  readonly provider_id: string | null
  readonly metadata: Json
}

/** The author of changed settings. Absent in older journals. */
export interface ChangedBy {
  /** `null` if no name was given: then nothing was widened. */
  readonly by: string | null
  readonly surface: string
  /** The changed settings that let the run do more, or could. */
  readonly widened: readonly Setting[]
}

/** Everything that can be written down, by kind. `status` always is the status of call `call_id` from here on. */
export interface EventData {
  'thread.forked': { readonly thread_id: string; readonly checkpoint_id: string }
  /** `changed`: the settings that are not those of the run before on its thread. */
  'run.started': {
    readonly profile: Profile
    readonly carried: Carried | null
    readonly pinned: Pinned | null
    readonly changed?: ChangedBy & { readonly settings: readonly Setting[] }
  }
  'run.configured': { readonly changes: ProfileChanges } & Partial<ChangedBy>
  /**
   * `forced_by` names the plugin that made the run go on, if one did. `active_ms`: milliseconds that the run had worked
   * by then; left out if it is equal to the newest checkpoint's.
   */
  'message.received': {
    readonly content: Content
    readonly author: string | null
    readonly forced_by: string | null
    readonly input_id?: string
    readonly active_ms?: number
  }
  /**
   * A message to a run under way. With `supersede` the calls that have not started are cancelled for it, and with
   * `interrupt` also running ones. `input_id` is the sender's idempotency key, unique in its thread.
   */
  'message.queued': {
    readonly content: Content
    readonly author: string | null
    readonly supersede: boolean
    readonly interrupt?: true
    readonly input_id?: string
  }
  /** The oldest `count` queued messages become part of the conversation here. */
  'message.delivered': { readonly count: Amount; readonly active_ms?: number }
  'cancel.requested': { readonly by: string; readonly reason: string | null }
  'phase.passed': { readonly phase: 'run_start' }
  'plugin.set': { readonly plugin: string; readonly state: Json }
  'step.started': { readonly step: Amount }
  'model.answered': {
    readonly text: string
    /** In order, if the answer is more than a text and then calls: see `answerParts`. Left out otherwise. */
    readonly parts?: readonly AnswerPart[]
    readonly calls: readonly JournalledCall[]
    readonly usage: Usage
    readonly model: string
    /** Our estimate of the tokens of the request, if the model's window is known. */
    readonly estimated?: Amount
    readonly finish_reason: string
    /** Left out if the answer counts as it is; older journals left it out always. */
    readonly unfinished?: Unfinished
    /** The plugin that asked for calls although the model asked for none. */
    readonly forced_by: string | null
  }
  /** P6: the model's provider takes no requests, and the run rests until it is asked again. */
  'model.unavailable': Outage
  /** The model failed, and another one stands in for it. */
  'model.switched': ModelSwitch
  /** The newest answer is no end of the work: the model is told so by `message`, and asked again. */
  'answer.asked_again': { readonly because: Unfinished; readonly message: string }
  /** P12: a provider refused a request, or would: from here on it is sent without this part, or with less of it. */
  'context.repaired': ContextRepair
  /** A person asks that models are sent less of the conversation from the next request on. */
  'compaction.requested': RequestedCompaction
  /** P12: the conversation was longer than fits: from here on models are sent less of it. */
  'context.compacted': Compaction
  /** `grant_id` names the standing grant that let it pass, `approval_id` the hold whose approval covers it. */
  'call.gated': {
    readonly call_id: string
    readonly rule: string
    readonly grant_id: string | null
    readonly approval_id: string | null
  } & FittedArguments
  'call.started': {
    readonly call_id: string
    readonly status: 'running'
    readonly attempt: Amount
    readonly idempotency_key: string
    readonly digest: string | null
    /** The process that runs it, named like owners of leases. Older versions left it out. */
    readonly process?: string
  }
  /** P3: its process was asked to stop before the effect began, so the claim is given back, and the former `status`. */
  'call.unclaimed': { readonly call_id: string; readonly status: CallStatus }
  /**
   * P3, P11: its process stopped it after the effect had begun, and does not know the outcome. The claim stays, and the
   * next owner decides. `said`: the words of the tool as it stopped.
   */
  'call.cut_off': {
    readonly call_id: string
    readonly status: 'running'
    readonly because: string
    readonly said: string | null
  }
  'call.finished': {
    readonly call_id: string
    readonly status: Extract<CallStatus, 'succeeded' | 'failed' | 'cancelled'>
    /** The tool's result; `null` if there are `parts`. */
    readonly output: Json
    /** The tool's result, if it was parts. */
    readonly parts?: readonly ContentPart[]
    readonly error: CallError | null
  }
  'hold.opened': {
    readonly hold_id: string
    readonly kind: HoldKind
    readonly call_id: string | null
    readonly status: 'suspended' | null
    readonly digest: string | null
    /** Which rule asked for it, or why it was opened. */
    readonly because: string
    /** The plugin that suspended the call; `null` if the runtime or the tool itself did. */
    readonly plugin: string | null
    readonly resume_mode: ResumeMode
    /** The real place that the call leads to. Absent if its arguments name none, and in journals of before. */
    readonly leads_to?: string
    /** `sha256:` of the terms of the hold (`termsText`), and the deadline. Older versions left them out. */
    readonly terms?: string
    readonly due_at?: string | null
    /** Policy says never to the call: an approval overrides it. */
    readonly overrides_never?: true
    /** The digest of the value that the tool may confirm when it runs again: the basis, or else the context. */
    readonly basis?: string
    /** The digest of the preview that was shown. Absent if there was none. */
    readonly preview?: string
    /** The digest of the call without its preview. Set together with `preview`. */
    readonly bare_digest?: string
  } & FittedArguments
  'hold.decided': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly status: 'resuming' | null
    readonly decision: Decision
  }
  /** One approval of several that the hold needs. */
  'hold.voted': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly decision: Decision
    readonly have: Amount
    readonly need: Amount
  }
  /** A person answered, and the meaning is unclear. */
  'hold.unclear': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly by: string
    readonly surface: string
    readonly text: string
  }
  'hold.assigned': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly assignee: string | null
    readonly by: string
    readonly surface: string
    readonly reason: string | null
  }
  /** `number` counts from 1; `remind_at` is when it was to be. */
  'hold.reminded': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly number: Amount
    readonly remind_at: string
    readonly assignee: string | null
  }
  /** The deadline passed, so `assignee` is asked, who has until `due_at`. `level` counts from 1. */
  'hold.escalated': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly level: Amount
    readonly assignee: string
    readonly due_at: string
  }
  /**
   * The deadline passed. The decision is the action for that case. With `ends_run` the run is cancelled by it; older
   * journals leave that out, and in them only a text pause ended its run.
   */
  'hold.expired': {
    readonly hold_id: string
    readonly call_id: string | null
    readonly status: 'resuming' | null
    readonly on_due: FinalAction
    readonly decision: Decision
    readonly ends_run?: true
  }
  'hold.withdrawn': { readonly hold_id: string; readonly call_id: string | null; readonly because: string }
  'step.ended': { readonly step: Amount }
  'checkpoint.named': {
    readonly checkpoint_id: string
    readonly reason: CheckpointReason
    /** Milliseconds that the run was worked on so far, waiting excluded. */
    readonly active_ms: number
  }
  /** The calls of the run are closed and its holds withdrawn; only its plugins remain to be informed. */
  'run.ending': { readonly termination: Termination }
  'run.finished': { readonly termination: Termination }
  /** Something worth knowing that changes nothing. `left_out`: a server or tool that the run has to do without. `warned_by`: the tool that wants its people to know, or the model that does not do as it was asked (`about: model`). */
  note: { readonly about: string; readonly message: string; readonly left_out?: string; readonly warned_by?: string }
}

/** The kind of a journal event. Each has data of its own shape. */
export type EventKind = keyof EventData

/** An event before the store gave it its place in the journal. */
export type NewEvent = {
  readonly [K in EventKind]: { readonly kind: K; readonly run_id: string; readonly data: EventData[K] }
}[EventKind]

/** An event that the journal gives back as it is. Stores are handed no other. */
export type PlainEvent = NewEvent & { readonly data: Plain<unknown> }

/** @throws NotPlainError with the path of what a journal cannot hold */
export function plainEvent<E extends NewEvent>({ kind, run_id, data }: E): E & PlainEvent {
  return { kind, run_id, data: plain(data, kind) } as unknown as E & PlainEvent
}

/** An event in its place: `seq` is dense in its thread, from 1. `at` is ISO time. */
export type JournalEvent = NewEvent & { readonly seq: Amount; readonly at: string; readonly thread_id: string }
