import { isOver } from '../../../core/advancing/run-standing.ts'
import { type Amended, type Amendment, applyAmendment } from '../../../core/deciding/amendment.ts'
import type { Work } from '../driver/work.ts'
import { findHold, listHolds, threadsOfHolds, updateTerms, withdrawHolds } from '../tables/hold-table.ts'
import { findRun } from '../tables/run-table.ts'
import type { JournalTransaction } from './journal-transaction.ts'

/** Each amendment on its own, in their order. The threads are locked first, as for decisions. */
export function* amendHolds(journal: JournalTransaction, amendments: readonly Amendment[]): Work<Amended[]> {
  yield* journal.lockAll(yield* threadsOfHolds(amendments.map(({ hold_id }) => hold_id)))
  const amended: Amended[] = []
  for (const amendment of amendments) amended.push(yield* amendHold(journal, amendment))
  return amended
}

function* amendHold(journal: JournalTransaction, amendment: Amendment): Work<Amended> {
  const { dialect, now } = journal
  const before = yield* findHold(amendment.hold_id)
  if (before === null) return null
  const { run_id } = before
  const run = yield* findRun(run_id)
  // A deadline alone can end the run, and with it the other holds.
  const open = amendment.event.kind === 'hold.expired' ? yield* listHolds(dialect, { run_id, status: 'open' }) : []
  const isRunOver = run !== null && isOver(run)
  const applied = applyAmendment(before, amendment, { isRunOver, now, openHolds: () => open })
  if (applied === null) return null
  yield* updateTerms(applied.hold)
  const withdrawn = applied.withdraws.map(({ id }) => id)
  yield withdrawHolds(withdrawn, run_id)
  yield* journal.writeOfHold(applied.hold, applied.events)
  return applied.hold
}
