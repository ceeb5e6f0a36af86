import type { Hold } from '../../../core/hold/hold.ts'
import { holdOutcome, holdSummary } from '../../../core/hold-view/hold-words.ts'
import { agentPath } from '../../../core/run/run-path.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { PlacedHold } from './hold-filter.ts'

export interface HoldChange {
  readonly change: 'opened' | 'changed' | 'closed'
  readonly hold: Hold
  /** The hold before the change; `null` if it was not seen. */
  readonly before: Hold | null
}

export type PlacedChange = HoldChange & { readonly hold: PlacedHold }

/**
 * The changes between two looks at the open holds of a filter. `gone` are those that no longer match, as they are now:
 * closed, or open for another person.
 */
export function holdChanges(
  before: ReadonlyMap<string, Hold>,
  open: readonly Hold[],
  gone: readonly Hold[],
): HoldChange[] {
  const changes = open.flatMap((hold): HoldChange[] => {
    const was = before.get(hold.id) ?? null
    if (was === null) return [{ change: 'opened', hold, before: null }]
    return newsOf(was, hold).length > 0 ? [{ change: 'changed', hold, before: was }] : []
  })
  const ends = gone.map(
    (hold): HoldChange => ({
      change: hold.status === 'open' ? 'changed' : 'closed',
      hold,
      before: before.get(hold.id) ?? null,
    }),
  )
  return [...ends, ...changes]
}

/** A line that names the change, the hold and its subject. */
export function changeLine({ change, hold, before }: PlacedChange): string {
  const news = change === 'closed' ? holdOutcome(hold) : before === null ? '' : newsOf(before, hold).join(', ')
  const words = [change.padEnd('changed'.length), hold.id, hold.kind, agentPath(hold), hold.tool ?? '-']
  return visibleLine(`${words.join('  ')}  ${news === '' ? '' : `[${news}] `}${holdSummary(hold)}`)
}

/** The changes of a hold that stays open. */
const NEWS: readonly ((was: Hold, is: Hold) => string | null)[] = [
  (was, is) => (is.reminded > was.reminded ? `reminder ${is.reminded} of ${is.remind_at.length}` : null),
  (was, is) => (is.level > was.level ? `escalated to ${is.assignee ?? 'nobody'}` : null),
  (was, is) =>
    is.assignee !== was.assignee && is.level === was.level ? `assigned to ${is.assignee ?? 'nobody'}` : null,
  (was, is) =>
    is.votes.length > was.votes.length
      ? `${is.votes.length} of ${is.deciders?.quorum ?? 1} approvals: ${is.votes.map(vote => vote.decided_by).join(', ')}`
      : null,
  (was, is) => (is.due_at !== was.due_at ? `due ${is.due_at ?? 'never'}` : null),
]

function newsOf(was: Hold, is: Hold): string[] {
  return NEWS.flatMap(tell => tell(was, is) ?? [])
}
