/** The pages of a list after one run changed. Pure. */
import type { HoldRow } from '../api/documents.ts'

export interface RowPage {
  readonly holds: readonly HoldRow[]
  readonly next: string | null
}

/**
 * Replaces the rows of one run by `rows`, all of them that are still in the list. A new row that belongs after the
 * last page read is left out.
 */
export function patchedPages<Page extends RowPage>(
  pages: readonly Page[],
  runId: string,
  rows: readonly HoldRow[],
): Page[] {
  const fresh = new Map(rows.map(row => [row.id, row]))
  const kept = pages.map(page => {
    const holds = page.holds.flatMap(row => (row.run_id === runId ? (fresh.get(row.id) ?? []) : row))
    for (const { id } of holds) fresh.delete(id)
    return { ...page, holds }
  })
  for (const row of fresh.values()) insert(kept, row)
  return kept
}

function insert(pages: RowPage[], row: HoldRow): void {
  const at = pages.findIndex(({ holds, next }) => next === null || (holds.at(-1) && isBefore(row, holds.at(-1))))
  const page = pages[at]
  if (!page) return
  const place = page.holds.findIndex(each => isBefore(row, each))
  pages[at] = { ...page, holds: page.holds.toSpliced(place < 0 ? page.holds.length : place, 0, row) }
}

/** Rows with a deadline are first, by deadline; the others are in the order in which they were asked. */
function isBefore(row: HoldRow, other: HoldRow | undefined): boolean {
  if (other === undefined) return false
  if (row.due_at !== other.due_at) return row.due_at !== null && (other.due_at === null || row.due_at < other.due_at)
  return row.opened_at < other.opened_at
}
