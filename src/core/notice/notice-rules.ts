/** Which record of the audit log leads to which notices. Pure: the runtime reads the feed, and puts notices in. */
import type { AuditKind, AuditRecord } from '../audit/audit.ts'
import type { NoticeEvent } from './notice-event.ts'

/** The notice that a record leads to, and its recipients. */
export interface NoticeRule {
  readonly event: NoticeEvent
  /** `asked`: those who are to decide now. `actor`: the one who tried. `programs`: only those that subscribed. */
  readonly hears: 'asked' | 'actor' | 'programs'
  /** As `NewNotice.about`. */
  readonly about: (record: AuditRecord) => string
  /** True if what was said about the hold before is not true any more. */
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
}

/** `null` if no notice tells of such a record. */
export function noticeRule(kind: AuditKind): NoticeRule | null {
  return RULES[kind] ?? null
}
