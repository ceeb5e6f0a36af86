import { RefusedError } from '../errors.ts'
import { isoTime } from '../text/iso-time.ts'

/** A thread that moved away: it cannot go on in this store any more. */
export interface Exported {
  readonly bundle_id: string
  readonly thread_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  /** ISO time. */
  readonly exported_at: string
  readonly exported_by: string
  readonly surface: string
}

interface Leaving extends Omit<Exported, 'exported_at' | 'exported_by'> {
  readonly by: string
  /** Default: now. */
  readonly exported_at?: string
}

/** The record of a thread that leaves. `now` is in milliseconds since 1970. */
export function exportedBy(leaving: Leaving, now: number): Exported {
  const { bundle_id, thread_id, run_id, checkpoint_id, by: exported_by, surface } = leaving
  const { exported_at = isoTime(now) } = leaving
  return { bundle_id, thread_id, run_id, checkpoint_id, exported_at, exported_by, surface }
}

/** A thread that came from another store, or came back. */
export interface Imported {
  readonly bundle_id: string
  readonly thread_id: string
  readonly checkpoint_id: string
  /** The part that was written here: the events after `after`, up to `seq`. They happened elsewhere. */
  readonly after: number
  readonly seq: number
  /** ISO time. */
  readonly imported_at: string
  readonly imported_by: string
  readonly surface: string
}

/** Every import of a thread here. */
export type Came = readonly Imported[]

/** The bundle that brought an event; `null` if it happened here. */
export function bundleOf(came: Came, seq: number): string | null {
  return came.find(imported => imported.after < seq && seq <= imported.seq)?.bundle_id ?? null
}

/** The refusal for every way to go on here. */
export function movedAway({ run_id, bundle_id, checkpoint_id, exported_at, exported_by }: Exported): RefusedError {
  return new RefusedError(
    'exported',
    `Run ${run_id} moved to another store: ${exported_by} exported it at ${exported_at} as ${bundle_id}, so nothing of it can be decided or go on here.`,
    {
      action: { do: 'take_back', id: checkpoint_id },
      details: { bundle_id, checkpoint_id, exported_at, exported_by },
    },
  )
}
