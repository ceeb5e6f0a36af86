/** What is chosen in a list whose rows come and go. */
import type { HoldRow } from '../api/documents.ts'

/** The id `by` rows further on; the row itself at the end, and the first one if `from` is not in the list. */
export function moved(ids: readonly string[], from: string | null, by: number): string | null {
  const at = from === null ? -1 : ids.indexOf(from)
  if (at < 0) return ids[0] ?? null
  return ids[Math.min(Math.max(at + by, 0), ids.length - 1)] ?? null
}

/** The same without `id` if it was in there, and with it otherwise. */
export function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return chosen.has(id) ? new Set([...chosen].filter(each => each !== id)) : new Set([...chosen, id])
}

/** P9: one decision for several takes that they ask for exactly the same. `null` if it can be given. */
export function objectionToTogether(rows: readonly HoldRow[]): string | null {
  if (rows.some(({ status }) => status !== 'open')) return 'Some of these do not wait any more.'
  if (rows.some(({ kind }) => kind !== 'approval')) return 'Only approvals can be decided together.'
  if (rows.some(({ may_decide }) => may_decide !== true)) return 'Some of these are not yours to decide.'
  const digests = new Set(rows.map(({ digest }) => digest))
  return digests.size > 1 ? 'They ask for different things: decide each by itself.' : null
}
