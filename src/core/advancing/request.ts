import { withdrawal } from '../deciding/withdrawal.ts'
import type { Hold } from '../hold/hold.ts'
import type { JournalEvent, NewEvent } from '../journal/event.ts'
import { type Exported, movedAway } from '../run/exported.ts'
import { isOver, type RunStanding } from './run-standing.ts'

/** A message to a run, a request to cancel it, or one about what models are sent of its conversation. Anyone may write it, also while another process advances the run. */
export interface NewRequest {
  readonly run_id: string
  readonly event: Extract<NewEvent, { kind: keyof typeof BECAUSE }>
  /** Withdraws every open hold of the run in the same transaction, each with a `hold.withdrawn` before the event. */
  readonly withdraw: boolean
  /** Refuses the request if holds are open. */
  readonly unlessWaiting: boolean
  /** With a run that is over: the newest event of its thread, after which nothing may have been written. */
  readonly after?: number
}

/**
 * Nothing was written, unless it is `recorded`. `done`: the run has ended or is about to, or its thread went on. `asks`: the run waits for a
 * message, and takes in no queued one before that, so the message has to be sent as the answer. `waiting`: holds are
 * open, and `unlessWaiting` is set.
 */
export type Requested =
  | { readonly outcome: 'recorded'; readonly events: readonly JournalEvent[] }
  | { readonly outcome: 'done' | 'asks' }
  | { readonly outcome: 'waiting'; readonly holds: number }

/** The state of a run when a request for it arrives. */
export interface RequestedRun extends RunStanding {
  readonly id: string
  readonly exported: Exported | null
}

/** A request that is refused, or the writes that go with it. */
export type AppliedRequest =
  | Exclude<Requested, { outcome: 'recorded' }>
  | { readonly outcome: 'recorded'; readonly withdraws: readonly Hold[]; readonly events: readonly NewEvent[] }

/** `holds` are the open holds of the run. @throws RefusedError `exported` */
export function applyRequest(run: RequestedRun, holds: readonly Hold[], request: NewRequest): AppliedRequest {
  if (run.exported) throw movedAway(run.exported)
  if (isOver(run) && request.after === undefined) return { outcome: 'done' }
  if (isMessage(request) && !request.withdraw && holds.some(({ kind }) => kind === 'input')) return { outcome: 'asks' }
  if (request.unlessWaiting && holds.length > 0) return { outcome: 'waiting', holds: holds.length }
  const withdraws = request.withdraw ? holds : []
  const because = BECAUSE[request.event.kind]
  return {
    outcome: 'recorded',
    withdraws,
    events: [...withdraws.map(hold => withdrawal(hold, because)), request.event],
  }
}

function isMessage({ event }: NewRequest): boolean {
  return event.kind === 'message.queued'
}

/** Why an open hold is withdrawn by a request. */
const BECAUSE = {
  'cancel.requested': 'the run was cancelled',
  'compaction.requested': 'its conversation is to be folded',
  'message.queued': 'a new message came',
  'context.repaired': 'a part of its conversation is left out',
} as const
