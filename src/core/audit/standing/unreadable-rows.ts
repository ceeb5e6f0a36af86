/** P10: names each damaged row, and the parts that are not checked. */
import type { JournalEvent } from '../../journal/event.ts'
import type { MaybeUnreadable } from '../../unreadable.ts'
import type { FaultList } from '../audit-chain.ts'

/** A row of a list, with what people call it. */
export interface NamedRow {
  readonly what: string
  readonly row: MaybeUnreadable & { readonly id: string }
}

/** The parts that the check of the log leaves out, in words for people. The report has them after the faults. */
export const NOT_CHECKED: readonly string[] = [
  'what messages, models and tools said, beyond that it can be read',
  'whether the status of runs and tasks is what happened',
  'the state of graphs',
  'links in notices',
  'the places of readers of the log',
  'the presence of processes',
  'the files of tasks and runs outside of the store',
]

/** True if the row is damaged: it is named, and nothing else of it is compared. */
export function takeUnreadable(faults: FaultList, { what, row: { id, unreadable } }: NamedRow): boolean {
  if (!unreadable) return false
  faults.add('row_unreadable', `The row of the ${what} ${id} cannot be read: ${unreadable.problem}.`)
  return true
}

/** Reports an event whose text was damaged. A recorded one is reported with its record. */
export function takeUnreadableEvent(faults: FaultList, { kind, data, thread_id, seq }: JournalEvent): void {
  if ((data as unknown) !== null) return
  const message = `Event ${seq} of thread ${thread_id} (${kind}) cannot be read: its data is not JSON.`
  faults.add('row_unreadable', message, { thread_id, event_seq: seq })
}
