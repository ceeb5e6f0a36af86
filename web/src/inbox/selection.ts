/** The selection in a list whose rows change. */
import type { HoldRow } from '../api/documents.ts'

/** The id `by` rows further on; the row itself at the end, and the first one if `from` is not in the list. */
export function moved(ids: readonly string[], from: string | null, by: number): string | null {
  const at = from === null ? -1 : ids.indexOf(from)
  if (at < 0) return ids[0] ?? null
  return ids[Math.min(Math.max(at + by, 0), ids.length - 1)] ?? null
}

/** The hold to decide after this one: the next open one that is this person's, or the first; `null` if there is none. */
export function nextOpen(
  rows: readonly Pick<HoldRow, 'id' | 'status' | 'may_decide'>[],
  decided: string,
): string | null {
  const at = rows.findIndex(({ id }) => id === decided)
  const inOrder = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))]
  return inOrder.find(row => row.id !== decided && row.status === 'open' && row.may_decide !== false)?.id ?? null
}

/** Returns the selection without `id` if it has it, and with it otherwise. */
export function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return chosen.has(id) ? new Set([...chosen].filter(each => each !== id)) : new Set([...chosen, id])
}

/** So many are looked at together at once. */
const MOST_ALIKE = 50

/** The open holds of the same tool, agent and risk, whatever their arguments are. */
export function alikeTo({ tool, agent, kind, risk }: HoldRow, rows: readonly HoldRow[]): readonly string[] {
  const alike = rows.filter(row => row.tool === tool && row.agent === agent && row.kind === kind && row.risk === risk)
  return alike.flatMap(({ id, status }) => (status === 'open' ? [id] : [])).slice(0, MOST_ALIKE)
}
