/** Which record of the audit log leads to which notices. Pure: the runtime reads the feed, and puts notices in. */
import type { AuditKind, AuditRecord } from '../audit/audit.ts'
import type { Hold } from '../hold/hold.ts'
import { callOutcome } from '../run/outcome/call-outcome.ts'
import type { JsonObject } from '../text/json.ts'
import { type NoticeEvent, WAITS_FOR_MODEL } from './notice-event.ts'

/** The notice that a record leads to, and its recipients. */
export interface NoticeRule {
  readonly event: NoticeEvent
  /**
   * `asked`: the people who are to decide now. `actor`: the person who tried. `approvers`: those who let a call pass that
   * failed, on channels that follow up. `programs`: subscribed programs only. `watchers`: people who want such events, and
   * the channel of the project.
   */
  readonly hears: 'asked' | 'actor' | 'approvers' | 'programs' | 'watchers'
  /** The value of `NewNotice.about`. */
  readonly about: (record: AuditRecord) => string
  /** True if earlier messages about the hold are not true any more. */
  readonly isStale: boolean
}

const once = () => '0'
const seq = (record: AuditRecord) => String(record.seq)
const field = (name: string) => (record: AuditRecord) => String(record.data[name])

// biome-ignore format: the table is the documentation
const RULES: Readonly<Partial<Record<AuditKind, NoticeRule>>> = {
  'hold.opened':      { event: 'opened',    hears: 'asked',    about: once,            isStale: false },
  'hold.reminded':    { event: 'reminded',  hears: 'asked',    about: field('number'), isStale: false },
  'hold.escalated':   { event: 'escalated', hears: 'asked',    about: field('level'),  isStale: true },
  'hold.assigned':    { event: 'assigned',  hears: 'asked',    about: seq,             isStale: true },
  'hold.unclear':     { event: 'unclear',   hears: 'actor',    about: seq,             isStale: false },
  'decision.refused': { event: 'refused',   hears: 'actor',    about: seq,             isStale: false },
  'hold.voted':       { event: 'voted',     hears: 'programs', about: seq,             isStale: true },
  'hold.decided':     { event: 'decided',   hears: 'programs', about: once,            isStale: true },
  'hold.expired':     { event: 'expired',   hears: 'programs', about: once,            isStale: true },
  'hold.withdrawn':   { event: 'withdrawn', hears: 'programs', about: once,            isStale: true },
  'model.unavailable': { event: WAITS_FOR_MODEL, hears: 'watchers', about: field('since'), isStale: false },
  'call.finished':    { event: 'ended',     hears: 'approvers', about: once,           isStale: true },
}

/** `null` if no notice is about such a record. */
export function noticeRule(kind: AuditKind): NoticeRule | null {
  return RULES[kind] ?? null
}

/** True if a person, or the end of its time, let the call of this hold run. */
export function hasReleased({ decision }: Pick<Hold, 'decision'>): boolean {
  return decision?.verdict === 'approve' || decision?.verdict === 'edit'
}

/** Whether the released call failed: with an error, or with an exit code that is no answer. `data`: of its `call.finished`. */
export function callFailed(
  { decision, arguments: args }: Pick<Hold, 'decision' | 'arguments'>,
  data: JsonObject,
): boolean {
  if (data['status'] === 'failed') return true
  return callOutcome(data, decision?.arguments ?? args)?.failed ?? false
}
