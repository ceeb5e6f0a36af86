import type { AskedTask, Risk } from '../hold/act.ts'
import { type Hold, riskOf } from '../hold/hold.ts'
import { headline } from './blocks/act-words.ts'

/** The keys under which every document names a hold and its session. */
export interface HoldIds {
  /** Equal to `id`. */
  readonly hold_id: string
  /** Equal to `thread_id`. */
  readonly session_id: string
}

/** The act of a hold in documents. */
export interface ShownAct {
  /** The act or the question, in one visible line of at most 120 characters. */
  readonly title: string
  /** What its run was asked for, by whom, and where it works; `null` of older holds. */
  readonly task: AskedTask | null
  readonly risk: Risk
  /** What the act deletes, or where it leads beyond this machine, a phrase each. */
  readonly reaches: readonly string[]
}

export function shownAct(hold: Hold): ShownAct {
  const { task = null, reaches = [] } = hold
  return { title: headline(hold), task, risk: riskOf(hold), reaches }
}

/** A hold in documents: with the keys that lists share (docs/design/documents.md#ids). */
export function holdDocument<T extends Hold>(hold: T): T & HoldIds & ShownAct {
  return { hold_id: hold.id, session_id: hold.thread_id, ...hold, ...shownAct(hold) }
}
