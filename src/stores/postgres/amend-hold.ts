import { isOver } from '../../core/advancing/run-standing.ts'
import { type Amended, type Amendment, applyAmendment } from '../../core/deciding/amendment.ts'
import type { JournalTransaction } from './journal/journal-transaction.ts'
import { findHold, listHolds, threadsOfHolds, updateTerms, withdrawHolds } from './tables/hold-table.ts'
import { findRun } from './tables/run-table.ts'

/** Each amendment on its own, in their order. The threads are locked first, as for decisions. */
export async function amendHolds(
  transaction: JournalTransaction,
  amendments: readonly Amendment[],
): Promise<Amended[]> {
  const ids = amendments.map(({ hold_id }) => hold_id)
  await transaction.lockAll(await threadsOfHolds(transaction.query, ids))
  const amended: Amended[] = []
  for (const amendment of amendments) amended.push(await amendHold(transaction, amendment))
  return amended
}

async function amendHold(transaction: JournalTransaction, amendment: Amendment): Promise<Amended> {
  const { query, now } = transaction
  const before = await findHold(query, amendment.hold_id)
  if (before === null) return null
  const { run_id } = before
  const run = await findRun(query, run_id)
  // A deadline alone can end the run, and with it the other holds.
  const open = amendment.event.kind === 'hold.expired' ? await listHolds(query, { run_id, status: 'open' }) : []
  const isRunOver = run !== null && isOver(run)
  const applied = applyAmendment(before, amendment, { isRunOver, now, openHolds: () => open })
  if (applied === null) return null
  await updateTerms(query, applied.hold)
  const withdrawn = applied.withdraws.map(({ id }) => id)
  withdrawHolds(query, withdrawn, run_id)
  await transaction.writeOfHold(applied.hold, applied.events)
  return applied.hold
}
