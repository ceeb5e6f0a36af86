/**
 * P10: the rules for records. Every hold, decision, expiry, override and effect leaves one record in the audit log of
 * its store, next to the journal event that it follows from. Refusals and looks are no events, and leave records by
 * themselves.
 */
import type { Amount } from '../count.ts'
import type { EventData, EventKind, JournalEvent } from '../journal/event.ts'
import { upcast } from '../journal/upcast.ts'
import type { ProviderCallPart } from '../message/part.ts'
import { ruledName } from '../policy/provider-tools.ts'
import { callOutcome } from '../run/outcome/call-outcome.ts'
import { outcomeOf } from '../run/termination.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { type AuditContext, byDecision, decisionData, forbidden } from './decision-record.ts'

/** Records that follow from no journal event. */
// biome-ignore format: kinds of one thing share a line
const BY_ITSELF = [
  'decision.refused', 'hold.shown', 'grant.given', 'grant.revoked',
  'access.added', 'access.revoked', 'place.trusted', 'session.opened', 'session.ended',
  'thread.pruned', 'checkpoint.exported', 'checkpoint.imported',
  'task.started', 'task.resumed', 'task.cancelled', 'task.ended', 'task.pruned',
  'writer.taken', 'lease.released', 'lease.given_back', 'command.stopped', 'effect.undone', 'widening.refused', 'store.moved',
] as const
export type ByItselfKind = (typeof BY_ITSELF)[number]

/** The kind of an audit record: the kind of a journal event, or of what is on record by itself. */
export type AuditKind = EventKind | ByItselfKind

/** The subject of a record, and the actor. Each is `null` if there is none. */
export interface AuditSubject {
  readonly thread_id: string | null
  readonly run_id: string | null
  readonly hold_id: string | null
  readonly call_id: string | null
  readonly actor: string | null
  readonly surface: string | null
}

/** One record: ids, digests and codes. Texts and results are in the journal, to which the record is bound. */
export interface AuditRecord extends AuditSubject {
  /** Dense in its store, from 1. */
  readonly seq: Amount
  /** ISO time. */
  readonly at: string
  readonly kind: AuditKind
  /** The journal event that the record follows from; `null` if there is none. */
  readonly event_seq: Amount | null
  /** `sha256` over that event's data, as it is stored. */
  readonly event_hash: string | null
  readonly data: JsonObject
  /** The seal by the key of a host (`SealKey`), as `ID:MAC`; left out if its writer had none. */
  readonly seal?: string
}

/** An entry that follows from no journal event. The store adds its place and time. */
export interface NewAuditEntry extends Partial<AuditSubject> {
  readonly kind: ByItselfKind
  readonly data: JsonObject
}

/** The content of an event's record, without place and hashes. */
export type Entry = AuditSubject & { readonly data: JsonObject }

type EntryContent = Partial<AuditSubject> & { readonly data: JsonObject }
type Cell<K extends EventKind> = (data: EventData[K], context: AuditContext) => EntryContent | null

const no = null

/** A new event kind does not compile until it has a record, or explicitly none. */
const RECORDED: { readonly [K in EventKind]: Cell<K> | null } = {
  'thread.forked': no,
  'run.started': ({ profile, carried, changed }) => ({
    ...(changed && { actor: changed.by, surface: changed.surface }),
    data: {
      agent: profile.agent,
      continues: carried?.run_id ?? null,
      ...(changed && { settings: changed.settings, widened: changed.widened }),
    },
  }),
  // Older versions noted no author, and put none of them on record.
  'run.configured': ({ changes, by, surface = null, widened = [] }) =>
    by === undefined ? null : { actor: by, surface, data: { settings: Object.keys(changes), widened } },
  'message.received': no,
  // A superseding message withdraws holds, so its author is recorded.
  'message.queued': ({ author, supersede, interrupt }) =>
    supersede ? { actor: author, data: { supersede, ...(interrupt && { interrupt }) } } : null,
  'message.delivered': no,
  'cancel.requested': ({ by, reason }) => ({ actor: by, data: { reason } }),
  'phase.passed': no,
  'plugin.set': no,
  'step.started': no,
  // P1: a provider ran a call by itself, which no event of a call shows.
  'model.answered': ({ model, parts = [] }) => {
    const calls = parts.filter(({ type }) => type === 'provider_call') as readonly ProviderCallPart[]
    return calls.length === 0 ? null : { data: { model, provider_calls: calls.map(providerCall) } }
  },
  'answer.asked_again': no,
  'model.unavailable': ({ code, since, retry_at, becomes_long }) =>
    becomes_long ? { data: { code, since, retry_at } } : null,
  'model.switched': no,
  'context.repaired': no,
  'compaction.requested': no,
  'context.compacted': no,
  // If the rules alone let a call pass, the record of its effect shows that. The use of a grant or an earlier approval
  // is recorded here.
  'call.gated': ({ call_id, rule, grant_id, approval_id }) =>
    grant_id === null && approval_id === null ? null : { call_id, data: { rule: brief(rule), grant_id, approval_id } },
  'call.started': ({ call_id, attempt, digest }) => ({ call_id, data: { attempt, digest } }),
  'call.unclaimed': ({ call_id }) => ({ call_id, data: {} }),
  'call.cut_off': ({ call_id, because }) => ({ call_id, data: { because: brief(because) } }),
  'call.finished': ({ call_id, status, error, output }) => ({
    call_id,
    data: { status, error: error?.code ?? null, ...exitOf(output) },
  }),
  'hold.opened': ({ hold_id, call_id, kind, digest, because, plugin }) => ({
    hold_id,
    call_id,
    data: { kind, digest, because: brief(because), plugin, ...forbidden({ because, plugin }) },
  }),
  'hold.decided': (data, context) => ({ ...byDecision(data), data: decisionData(data, context) }),
  'hold.voted': ({ have, need, ...data }, context) => ({
    ...byDecision(data),
    data: { ...decisionData(data, context), have, need },
  }),
  'hold.unclear': ({ hold_id, call_id, by, surface }) => ({ hold_id, call_id, actor: by, surface, data: {} }),
  'hold.assigned': ({ hold_id, call_id, by, surface, assignee, reason }) => ({
    hold_id,
    call_id,
    actor: by,
    surface,
    data: { assignee, reason },
  }),
  'hold.reminded': ({ hold_id, call_id, number, assignee }) => ({ hold_id, call_id, data: { number, assignee } }),
  'hold.escalated': ({ hold_id, call_id, level, assignee, due_at }) => ({
    hold_id,
    call_id,
    data: { level, assignee, due_at },
  }),
  'hold.expired': ({ on_due, ...data }, context) => ({
    ...byDecision(data),
    data: { on_due, ...decisionData(data, context) },
  }),
  'hold.withdrawn': ({ hold_id, call_id, because }) => ({ hold_id, call_id, data: { because: brief(because) } }),
  'step.ended': no,
  'checkpoint.named': no,
  'run.ending': no,
  'run.finished': ({ termination }) => ({ data: { outcome: outcomeOf(termination), type: termination.type } }),
  note: no,
}

/** Kinds of events that have records, always or sometimes. */
export const RECORDED_KINDS: readonly EventKind[] = (Object.keys(RECORDED) as EventKind[]).filter(
  kind => RECORDED[kind] !== null,
)

/** Stores of older versions have such events without a record. */
export const RECORDED_LATER: readonly EventKind[] = ['run.started', 'run.finished']

/** All kinds of records. */
export const AUDIT_KINDS: readonly AuditKind[] = [...RECORDED_KINDS, ...BY_ITSELF]

/** True for a record that no journal would miss. */
export function isByItself(kind: AuditKind): kind is ByItselfKind {
  return (BY_ITSELF as readonly string[]).includes(kind)
}

/** The record of an event; `null` if it has none. */
export function auditEntry(event: JournalEvent, context: AuditContext): Entry | null {
  const cell = Object.hasOwn(RECORDED, event.kind) ? (RECORDED[event.kind] as Cell<EventKind> | null) : null
  const content = cell?.(upcast(event) as never, context)
  return content ? { ...NOBODY, thread_id: event.thread_id, run_id: event.run_id, ...content } : null
}

const NOBODY: AuditSubject = {
  thread_id: null,
  run_id: null,
  hold_id: null,
  call_id: null,
  actor: null,
  surface: null,
}

/** An entry that follows from no event, complete. */
export function entryOf({ kind: _, ...content }: NewAuditEntry): Entry {
  return { ...NOBODY, ...content }
}

function providerCall(call: ProviderCallPart): JsonObject {
  const { permitted = false, rule = 'no rule is known' } = call
  return { name: ruledName(call), permitted, rule: brief(rule) }
}

const BRIEF = 200

/** Rules and causes are short; what a plugin makes of them need not be. */
/** The exit of a program that failed, or gave an answer. */
function exitOf(output: Json): JsonObject {
  const { exit_code = 0, signal = null } = callOutcome(output, null) ?? {}
  if (signal !== null) return { signal }
  return exit_code === 0 ? {} : { exit_code }
}

function brief(text: string): string {
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text
}
