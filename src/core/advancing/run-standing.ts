import type { RunStatus } from '../journal/thread.ts'
import type { HoldScope } from '../run/profile.ts'

/** The part of a run's row that decides whether the run goes on. */
export interface RunStanding {
  readonly status: RunStatus
  /** The type of its termination; `null` while it has none. */
  readonly ended: string | null
}

/** True if the run has ended or is about to. */
export function isOver({ status, ended }: RunStanding): boolean {
  return status === 'done' || ended !== null
}

/** True if a decision on one of its holds makes a waiting run ready: in scope `batch` only the last one does. */
export function isWoken(
  { status, hold_scope }: Pick<RunStanding, 'status'> & { readonly hold_scope: HoldScope },
  hasOpenHolds: boolean,
): boolean {
  return status === 'waiting' && (hold_scope === 'call' || !hasOpenHolds)
}

interface RowWrites<Row, Rest> {
  readonly run?: Row
  readonly rest?: Rest
}

/** A run never rests over events that its owner has not seen: they may be work to do. */
export function restIfSeen<Row extends { readonly status?: RunStatus }, Rest>(
  { run, rest }: RowWrites<Row, Rest>,
  hasSeenAll: boolean,
): RowWrites<Omit<Row, 'status'> & Partial<Row>, Rest> {
  if (hasSeenAll) return { ...(run && { run }), ...(rest && { rest }) }
  if (!run) return {}
  const { status: _, ...row } = run
  return { run: row as Omit<Row, 'status'> & Partial<Row> }
}
