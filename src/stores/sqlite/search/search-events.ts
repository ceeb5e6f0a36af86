import { setImmediate } from 'node:timers/promises'
import type { EventKind } from '../../../core/journal/event.ts'
import { foundText } from '../../../core/search/found-text.ts'
import { SEARCHED_KINDS } from '../../../core/search/searched-kinds.ts'
import type { FoundEvent, SearchPage, SearchQuery } from '../../../ports/store/search.ts'
import { eventTime, readableData } from '../../rows/event-row.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'

/** Events that are read at once: other work of the process goes on in between. */
const PART = 100
const MOST_PARTS = 200

/** From the newest thread backwards, as far as one page goes. */
export async function searchEvents(database: Database, query: SearchQuery): Promise<SearchPage> {
  const { words, limit = 20, after } = query
  const found: FoundEvent[] = []
  let place = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const { hits, end } = await database.read(() => searchPart(database, words, place))
    for (const hit of hits) {
      found.push(hit.event)
      if (found.length === limit) return { found, next: String(hit.place) }
    }
    if (end === null) return { found, next: null }
    place = end
    await setImmediate()
  }
  return { found, next: String(place) }
}

interface Hit {
  readonly place: number
  readonly event: FoundEvent
}

interface Part {
  readonly hits: readonly Hit[]
  /** The last place that was read; `null` if it was the last of all. */
  readonly end: number | null
}

function searchPart(database: Database, words: string, before: number): Part {
  const last = database
    .statement(
      `SELECT min(place) AS place, count(*) AS count
       FROM (SELECT place FROM events WHERE place < ? ORDER BY place DESC LIMIT ${PART})`,
    )
    .get(before)
  const end = Number(last?.['place'] ?? 0)
  const rows = database
    .statement(
      `SELECT e.place, e.at, e.run_id, e.kind, e.data, t.id AS thread_id FROM events e
       JOIN threads t ON t.number = e.place / ${SEQ_SPAN}
       WHERE e.place >= ? AND e.place < ? AND e.kind IN (${SEARCHED_KINDS.map(kind => `'${kind}'`).join(', ')})
         AND e.data LIKE ? ESCAPE '!' ORDER BY e.place DESC`,
    )
    .all(end, before, pattern(words))
  return { hits: rows.flatMap(row => hitOf(row, words)), end: Number(last?.['count']) < PART ? null : end }
}

/** As the words stand in JSON. */
function pattern(words: string): string {
  return `%${JSON.stringify(words).slice(1, -1).replaceAll(/[!%_]/g, '!$&')}%`
}

/** None if only the name of a field has the words. */
function hitOf(row: Readonly<Record<string, unknown>>, words: string): Hit[] {
  const text = foundText(readableData(row['data']), words)
  if (!text) return []
  const place = Number(row['place'])
  const event: FoundEvent = {
    ...{ thread_id: String(row['thread_id']), run_id: String(row['run_id']), seq: place % SEQ_SPAN },
    at: eventTime(row['at']),
    kind: row['kind'] as EventKind,
    ...text,
  }
  return [{ place, event }]
}
