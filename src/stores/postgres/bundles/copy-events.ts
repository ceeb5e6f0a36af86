import type { JournalEvent } from '../../../core/journal/event.ts'
import { inputIdOf, refuseDuplicateInput } from '../../../core/journal/input.ts'
import type { BundleProgress } from '../../../ports/store/thread-bundles.ts'
import type { Query } from '../database/pool.ts'
import type { LockedThread } from '../tables/journal-table.ts'

/** In one statement: neither a statement for each event, nor all of a long journal at once. */
const PAGE = 500

interface CopiedEvents {
  readonly events: readonly JournalEvent[]
  readonly onProgress: BundleProgress | undefined
}

/** Inside a transaction: with the `seq` and the times that they have. @throws RefusedError `duplicate_input` */
export async function copyEvents(
  query: Query,
  { number }: LockedThread,
  { events, onProgress }: CopiedEvents,
): Promise<void> {
  for (let from = 0; from < events.length; from += PAGE) {
    const page = events.slice(from, from + PAGE)
    await copyInputs(query, number, page)
    await query(
      `INSERT INTO @events (thread, seq, at, run_id, kind, data)
       SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
      [
        number,
        page.map(({ seq }) => seq),
        page.map(({ at }) => Date.parse(at)),
        page.map(({ run_id }) => run_id),
        page.map(({ kind }) => kind),
        page.map(({ data }) => JSON.stringify(data)),
      ],
    )
    onProgress?.(from + page.length, events.length)
  }
}

async function copyInputs(query: Query, thread: number, events: readonly JournalEvent[]): Promise<void> {
  for (const event of events) {
    const inputId = inputIdOf(event)
    if (inputId === null) continue
    const keep = 'INSERT INTO @inputs (thread, input_id, seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
    if ((await query(keep, [thread, inputId, event.seq])).count > 0) continue
    const known = await query('SELECT seq FROM @inputs WHERE thread = $1 AND input_id = $2', [thread, inputId])
    refuseDuplicateInput(inputId, Number(known.rows[0]?.['seq']))
  }
}
