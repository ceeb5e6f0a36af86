import { setImmediate } from 'node:timers/promises'
import type { EventKind } from '../../core/journal/event.ts'
import { foundText } from '../../core/search/found-text.ts'
import { SEARCHED_KINDS } from '../../core/search/searched-kinds.ts'
import type { FoundEvent, SearchPage, SearchQuery } from '../../ports/store/search.ts'
import { eventTime, readableData } from '../rows/event-row.ts'
import type { Dialect } from './driver/dialect.ts'
import type { SqlDriver } from './driver/driver.ts'
import { all, type Row, type Work } from './driver/work.ts'

/** Events that are read at once: the process does other work in between. */
const PART = 250
const MOST_PARTS = 80

/** An event, by its thread and its `seq`. */
interface Place {
  readonly thread: number
  readonly seq: number
}

const END: Place = { thread: 2 ** 31 - 1, seq: 0 }

/** Searches from the newest thread backwards, until one page is full. */
export async function searchEvents(driver: SqlDriver, { words, limit = 20, after }: SearchQuery): Promise<SearchPage> {
  const found: FoundEvent[] = []
  let place = after === undefined ? END : readPlace(after)
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const { hits, end } = await driver.read(() => searchPart(driver.dialect, words, place))
    for (const hit of hits) {
      found.push(hit.event)
      if (found.length === limit) return { found, next: placeText(hit.place) }
    }
    if (end === null) return { found, next: null }
    place = end
    await setImmediate()
  }
  return { found, next: placeText(place) }
}

interface Hit {
  readonly place: Place
  readonly event: FoundEvent
}

interface Part {
  readonly hits: readonly Hit[]
  /** The last place that was read; `null` if it was the last of all. */
  readonly end: Place | null
}

function* searchPart(
  { events: { thread, seq, before, newestFirst } }: Dialect,
  words: string,
  from: Place,
): Work<Part> {
  const rows = yield* all(
    `SELECT ${thread} AS thread, ${seq} AS seq, p.at, p.run_id, p.kind, t.id AS thread_id,
       CASE WHEN p.kind = ANY(?3::text[]) AND p.data ILIKE ?4 ESCAPE '!' THEN p.data END AS data
     FROM (SELECT * FROM @events WHERE ${before} ORDER BY ${newestFirst} LIMIT ${PART}) p
     LEFT JOIN @threads t ON t.number = ${thread} ORDER BY ${newestFirst}`,
    [from.thread, from.seq, SEARCHED_KINDS, pattern(words)],
  )
  const last = rows.at(-1)
  return {
    hits: rows.flatMap(row => hitOf(row, words)),
    end: rows.length < PART || !last ? null : placeOf(last),
  }
}

/** The pattern that finds the words in a text of JSON. */
function pattern(words: string): string {
  return `%${JSON.stringify(words).slice(1, -1).replaceAll(/[!%_]/g, '!$&')}%`
}

/** Returns nothing if only the name of a field has the words. */
function hitOf(row: Row, words: string): Hit[] {
  if (row['data'] === null || row['thread_id'] === null) return []
  const text = foundText(readableData(row['data']), words)
  if (!text) return []
  const place = placeOf(row)
  const event: FoundEvent = {
    ...{ thread_id: String(row['thread_id']), run_id: String(row['run_id']), seq: place.seq },
    at: eventTime(row['at']),
    kind: row['kind'] as EventKind,
    ...text,
  }
  return [{ place, event }]
}

function placeOf(row: Row): Place {
  return { thread: Number(row['thread']), seq: Number(row['seq']) }
}

function placeText({ thread, seq }: Place): string {
  return `${thread}:${seq}`
}

function readPlace(text: string): Place {
  const [thread, seq] = text.split(':').map(Number)
  return { thread: thread || 0, seq: seq || 0 }
}
