import { deedOf } from '../../../core/audit/record-words.ts'
import type { Json } from '../../../core/text/json.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { AuditedRecord } from '../../../runtime/threads/audit.ts'
import { ago } from '../../display/ago.ts'
import type { Screen } from '../../display/screen.ts'
import { type Column, type Row, screenTable } from '../../display/table.ts'
import type { Io } from '../../process/io.ts'

/** A log may be long: so many records make a table, which is shown before the next ones are read. */
const PAGE = 200

const COLUMNS: readonly Column[] = [
  { head: 'SEQ', spare: true },
  { head: 'WHEN' },
  { head: 'WHO', least: 6 },
  { head: 'DID', least: 16 },
  { head: 'CALL', least: 4 },
  { head: 'OF' },
]

/** For people in a terminal; without a terminal a record is told in full. Returns how many there were. */
export async function showScreens(
  records: AsyncIterable<AuditedRecord>,
  screen: Screen,
  io: Pick<Io, 'out'>,
): Promise<number> {
  let count = 0
  let page: Row[] = []
  const show = () => {
    if (page.length > 0) io.out(screenTable(COLUMNS, page, screen))
    page = []
  }
  for await (const record of records) {
    count += 1
    page.push(rowOf(record, screen.now))
    if (page.length === PAGE) show()
  }
  show()
  return count
}

function rowOf({ seq, record }: AuditedRecord, now: number): Row {
  if (record === null) return { cells: [String(seq), '', '', { text: 'unreadable', style: 'red' }] }
  const { at, kind, run_id, thread_id, hold_id, call_id, actor, data } = record
  const { did, more = '' } = deedOf(kind, data)
  const task = typeof data['task_id'] === 'string' ? data['task_id'] : null
  return {
    cells: [
      { text: String(seq), style: 'dim' },
      { text: ago(at, now), style: 'dim' },
      { text: visibleLine(whoIn(actor)), style: 'bold' },
      visibleLine(did),
      visibleLine(call_id ?? ''),
      { text: visibleLine(hold_id ?? task ?? run_id ?? thread_id ?? ''), style: 'dim' },
    ],
    ...(more !== '' && { below: visibleLine(more) }),
  }
}

/** An agent by its name: its run is in the last column, or is a parent of that. */
function whoIn(actor: string | null): string {
  return actor?.replace(/^(agent:[^/]+)\/run_\w+$/, '$1') ?? ''
}

/** `key=value` for all that a record says. */
export function saidIn(data: Readonly<Record<string, Json>>): string[] {
  return Object.entries(data).flatMap(([key, value]) =>
    value === null ? [] : [`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
}
