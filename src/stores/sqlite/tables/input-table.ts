import type { NewEvent } from '../../../core/journal/event.ts'
import { inputIdOf, refuseDuplicateInput } from '../../../core/journal/input.ts'
import type { Database } from '../database/database.ts'

interface ThreadNumber {
  readonly number: number
}

/** Inside a transaction. @throws RefusedError `duplicate_input` if the thread has a message with the id of this one. */
export function keepInput(database: Database, thread: ThreadNumber, event: NewEvent & { readonly seq: number }): void {
  const inputId = inputIdOf(event)
  if (inputId === null) return
  refuseDuplicateInput(inputId, findInput(database, thread, inputId))
  database
    .statement('INSERT INTO inputs (thread, input_id, seq) VALUES (?, ?, ?)')
    .run(thread.number, inputId, event.seq)
}

export function findInput(database: Database, thread: ThreadNumber, inputId: string): number | null {
  const row = database.statement('SELECT seq FROM inputs WHERE thread = ? AND input_id = ?').get(thread.number, inputId)
  return row ? Number(row['seq']) : null
}
