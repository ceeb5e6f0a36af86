import type { Hold } from '../../core/hold/hold.ts'
import { isoTime } from '../../core/text/iso-time.ts'

/** When a hold was opened, by both clocks. */
export type Opening = Pick<Hold, 'id' | 'opened_at' | 'opened_on'>

/** Selects open holds whose time a steady clock noted too, newest first. A few tell whether a clock was set. */
export function selectOpenings(table: string): string {
  return `SELECT id, opened_at, asked FROM ${table} WHERE status = 'open' AND asked LIKE '%"opened_on"%'
    ORDER BY number DESC LIMIT 10`
}

/** An unreadable row is left out. */
export function openingsIn(rows: readonly Readonly<Record<string, unknown>>[]): readonly Opening[] {
  return rows.flatMap(({ id, opened_at, asked }) => {
    try {
      const { opened_on } = JSON.parse(String(asked)) as Pick<Hold, 'opened_on'>
      return opened_on ? [{ id: String(id), opened_at: isoTime(Number(opened_at)), opened_on }] : []
    } catch {
      return []
    }
  })
}
