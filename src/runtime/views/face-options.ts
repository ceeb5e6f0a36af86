/** The options and the results of the verbs of the face. */

import type { Receipt } from '../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Content } from '../../core/message/part.ts'
import type { PauseKind, Profile, ProfileChanges } from '../../core/run/profile.ts'
import type { Carried } from '../../core/run/stop-condition.ts'
import type { Warned } from '../../core/run/warnings/run-warning.ts'
import type { NewTask, TaskMove } from '../../core/task/task-move.ts'
import type { InputProvider } from './input-provider.ts'
import type { RunView } from './run-view.ts'

/** Starts a run of an agent by its name. */
export interface StartOptions {
  /** Name of an agent that was given to `openHoldpoint`. */
  readonly agent: string
  /** A text, or parts: text, images, files. */
  readonly input: Content
  readonly author?: string
  /** Idempotency key, unique among the starts of its author: a start that is sent twice is one run, as long as that is kept. */
  readonly startId?: string
}

/** A run that is durable, and not yet advanced. */
export interface Started extends Warned {
  readonly id: string
  readonly thread_id: string
  readonly status: 'running'
  readonly checkpoint_id: string
}

/** Starts a run with settings of its own, as a host does. */
export interface StartWithProfile {
  readonly profile: Profile
  readonly input: Content | null
  /** The author of the input, and of the settings that differ from the thread's last run. */
  readonly author: string | null
  /** Where the author starts it. Default: `code`. */
  readonly surface?: string
  /** Idempotency key of the input, unique in its thread. */
  readonly inputId?: string
  /** The same as in `StartOptions`. With it the run begins a thread. */
  readonly startId?: string
  /** The thread to go on with and its newest `seq`; with `seq` 0 a new thread gets this id, unless there is one by then. */
  readonly thread?: { readonly id: string; readonly seq: number }
  readonly carried?: Carried
  /** Keeps the run for this process, which is about to advance it: no worker is quicker. */
  readonly reserve?: boolean
  /** The task that is to go on with the run, made durable together with it. */
  readonly task?: (run: Started) => NewTask | TaskMove
}

/** The options of one `advance`. */
export interface AdvanceOptions {
  /** Aborting it stops the run at the next safe point; it can be advanced again. */
  readonly signal?: AbortSignal
  /** The kinds on which this advance pauses, if they are not those of the run's start. */
  readonly pauseOn?: readonly PauseKind[]
  /** Asked for the next user message when the model stops with no call pending; `null` ends the run. */
  readonly inputProvider?: InputProvider
  /**
   * True: while the provider of its model takes no requests, the run rests, `running` with an `outage`, and whoever works on
   * the store takes it up at `retry_at`. Default: it ends with the error after a minute.
   */
  readonly waitForModel?: boolean
  /** Recorded together with the claim of the lease: all of them, or nothing happens and `refused` explains why. */
  readonly decisions?: readonly DecisionInput[]
  /**
   * The newest checkpoint with a pause or an end that the caller knew of; `null` if there was none. If the run has
   * rested since, another caller got its outcome: this one is refused, `superseded`. Decisions carry this themselves.
   */
  readonly lastRest?: string | null
  /** The settings that change for the rest of the run. Widening needs the right to decide in it (`may_not_widen`). */
  readonly changes?: ProfileChanges
  /** The author of `changes`. Without a name they may only narrow the run. */
  readonly by?: string
  /** Where the author asks for them. Default: `code`. */
  readonly surface?: string
}

/** A run after an advance. `busy`: another process advances it. `refused`: a decision was not recorded; nothing happened. */
export type AdvanceResult =
  | RunView
  | { readonly status: 'busy'; readonly owner: string; readonly until: string }
  | { readonly status: 'refused'; readonly receipts: readonly Receipt[] }
