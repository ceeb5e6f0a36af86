import type { Decision } from '../hold/decision.ts'
import type { EventData, EventKind, JournalEvent } from '../journal/event.ts'
import { decisionText } from './hold-words.ts'

type HoldEventKind = Extract<EventKind, `hold.${string}`>

/** One event in the life of a hold, at ISO time `at`. */
export interface HistoryEntry {
  readonly at: string
  /** `opened`, `reminded`, `escalated`, `assigned`, `voted`, `unclear`, `decided`, `expired`, `withdrawn`. */
  readonly what: string
  /** The actor; `null` if a deadline or the run itself did it. */
  readonly by: string | null
  /** The surface. */
  readonly surface: string | null
  /** The reason, in the actor's words. */
  readonly reason: string | null
  /** The whole entry in words. */
  readonly text: string
}

type EntryText = Omit<HistoryEntry, 'at' | 'what'>

const NOBODY = { by: null, surface: null, reason: null }

/** The text of each kind of event; the second half of a kind becomes `what`. */
const TELLERS: { readonly [K in HoldEventKind]: (data: EventData[K]) => EntryText } = {
  'hold.opened': ({ because }) => ({ ...NOBODY, reason: because, text: `opened: ${because}` }),
  'hold.reminded': ({ number, assignee }) => ({
    ...NOBODY,
    text: `reminder ${number}${assignee === null ? '' : ` to ${assignee}`}`,
  }),
  'hold.escalated': ({ level, assignee, due_at }) => ({
    ...NOBODY,
    text: `nobody decided in time: escalated to ${assignee}, who may decide until ${due_at} (level ${level})`,
  }),
  'hold.assigned': ({ assignee, by, reason }) => ({
    by,
    surface: null,
    reason,
    text: `assigned to ${assignee ?? 'nobody'} by ${by}${because(reason)}`,
  }),
  'hold.voted': ({ decision, have, need }) => ({
    ...byWhom(decision),
    text: `${decisionText(decision)} via ${decision.surface}: ${have} of ${need} approvals`,
  }),
  'hold.unclear': ({ by, surface, text }) => ({
    by,
    surface,
    reason: null,
    text: `${by} answered via ${surface}, and it was not clear what that means: ${JSON.stringify(text)}`,
  }),
  'hold.decided': ({ decision }) => ({
    ...byWhom(decision),
    text: `${decisionText(decision)} via ${decision.surface}`,
  }),
  'hold.expired': ({ on_due, ends_run }) => ({
    ...NOBODY,
    text: `nobody decided in time: ${ends_run ? 'its run cancelled' : EXPIRED[on_due]}`,
  }),
  'hold.withdrawn': ({ because: reason }) => ({ ...NOBODY, reason, text: `withdrawn: ${reason}` }),
}

const EXPIRED: Record<EventData['hold.expired']['on_due'], string> = {
  cancel: 'cancelled',
  reject: 'rejected',
  auto_approve: 'approved, with nobody having looked',
}

/** The history of one hold in a journal, oldest first. */
export function holdHistory(events: readonly JournalEvent[], holdId: string): HistoryEntry[] {
  return events.flatMap(event => {
    if (!isHoldEvent(event) || event.data.hold_id !== holdId) return []
    const tell = TELLERS[event.kind] as (data: (typeof event)['data']) => EntryText
    return [{ at: event.at, what: event.kind.slice('hold.'.length), ...tell(event.data) }]
  })
}

function isHoldEvent(event: JournalEvent): event is Extract<JournalEvent, { kind: HoldEventKind }> {
  return Object.hasOwn(TELLERS, event.kind)
}

function byWhom({ decided_by: by, surface, reason }: Decision): Omit<EntryText, 'text'> {
  return { by, surface, reason }
}

function because(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`
}
