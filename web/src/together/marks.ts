/** Which of several holds a person has marked, by what they have seen. */
import { lookAlikesOf } from '../../../src/core/hold-view/blocks/hold-remarks.ts'
import type { HoldView } from '../api/documents.ts'

/** What a person did to the mark of a hold; left out if they left it alone. */
export type Marks = Readonly<Record<string, boolean>>

/** P9: only what was seen to its end can be marked. An ordinary hold is marked then; one with more risk, or with look-alikes, by hand alone. */
export function isMarked(hold: HoldView, marks: Marks, seen: ReadonlySet<string>): boolean {
  if (objectionToMark(hold) !== null || !seen.has(hold.id)) return false
  return marks[hold.id] ?? (hold.risk === 'ordinary' && lookAlikesOf(hold).length === 0)
}

/** Why it is not decided with others; `null` if it can be. */
export function objectionToMark({ status, kind, may_decide, risk }: HoldView): string | null {
  if (status !== 'open') return 'It does not wait any more.'
  if (kind !== 'approval') return 'It wants an answer of its own.'
  if (risk === 'override') return 'It overrides a policy: open it by itself.'
  return may_decide === true ? null : 'It is not yours to decide.'
}
