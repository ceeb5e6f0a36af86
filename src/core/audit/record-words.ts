/** A record in words, for people. Digests, keys and ids that only programs compare are left out: `--json` has them. */

import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import type { AuditKind } from './audit.ts'

/** A record for people: the deed in two or three words, and what more is to be said of it. */
export interface Deed {
  readonly did: string
  readonly more?: string
}

type Words = (said: (key: string) => string, data: JsonObject) => Deed | string

const VERDICTS: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with changes',
  respond: 'answered',
  cancel: 'cancelled',
}

const decided = (said: (key: string) => string, { override, grant, reason, member_of }: JsonObject): Deed => {
  const also = [
    ...(isJsonObject(member_of ?? null) ? [groupWords(member_of as JsonObject)] : []),
    ...(override === true ? ['against a never of the policy'] : []),
    ...(grant ? [`always allowed from here on: ${text((grant as JsonObject)['name'])}`] : []),
    text(reason),
  ]
  return { did: VERDICTS[said('verdict')] ?? said('verdict'), more: also.filter(part => part !== '').join('; ') }
}

const groupWords = ({ groups, issuer }: JsonObject) =>
  `in ${(groups as string[]).map(group => `@${group}`).join(', ')} by the word of ${text(issuer)}`

/** A new kind of record does not compile until it has its words. */
const WORDS: { readonly [K in AuditKind]: Words | null } = {
  'thread.forked': null,
  'run.started': said => `${said('agent')} started`,
  'run.configured': (_, { settings, widened }) => ({
    did: 'changed settings',
    more: `${list(settings)}${list(widened) === '' ? '' : `; it may do more by ${list(widened)}`}`,
  }),
  'message.received': null,
  'message.queued': () => 'spoke in between',
  'message.delivered': null,
  'cancel.requested': said => ({ did: 'cancelled the run', more: said('reason') }),
  'phase.passed': null,
  'plugin.set': null,
  'step.started': null,
  'model.answered': null,
  'call.gated': said => ({ did: 'let pass', more: said('rule') }),
  'call.started': (_, { attempt }) => (attempt === 1 ? 'call started' : `call started, try ${text(attempt)}`),
  'call.unclaimed': () => 'call put back before it began',
  'call.cut_off': said => ({ did: 'call cut off', more: said('because') }),
  'call.finished': said => ({ did: `call ${said('status')}`, more: said('error') }),
  'hold.opened': (said, { forbidden }) => ({
    did: `waits: ${said('kind')}`,
    more: `${forbidden === true ? 'policy says never; ' : ''}${said('because')}`,
  }),
  'hold.decided': decided,
  'hold.voted': (said, data) => ({
    ...decided(said, data),
    did: `${decided(said, data).did}, ${said('have')} of ${said('need')}`,
  }),
  'hold.unclear': () => 'gave no clear answer',
  'hold.assigned': said => ({ did: `assigned to ${said('assignee') || 'nobody'}`, more: said('reason') }),
  'hold.reminded': said => `reminded ${said('assignee')}`,
  'hold.escalated': said => `escalated to ${said('assignee')}`,
  'hold.expired': (said, data) => ({ ...decided(said, data), did: `overdue: ${decided(said, data).did}` }),
  'hold.withdrawn': said => ({ did: 'withdrawn', more: said('because') }),
  'step.ended': null,
  'checkpoint.named': null,
  'run.ending': null,
  'run.finished': said => `run ${said('outcome')}`,
  note: null,
  'decision.refused': said => ({
    did: said('verdict') === '' ? 'was turned away' : `may not ${said('verdict')}`,
    more: said('code'),
  }),
  'hold.shown': (_, { in_full }) => (in_full === true ? 'saw it' : 'was shown it'),
  'grant.revoked': said => ({ did: 'revoked a grant', more: said('grant_id') }),
  'access.added': said => ({ did: 'added a token', more: `${said('name')} (${said('role')})` }),
  'access.revoked': said => ({ did: 'revoked a token', more: said('name') }),
  'session.opened': said => ({ did: 'signed in', more: `${said('role')}, by ${said('by')}` }),
  'session.ended': said => ({ did: 'signed out', more: said('name') }),
  'thread.pruned': () => 'deleted the session',
  'checkpoint.exported': said => ({ did: 'moved it away', more: said('bundle_id') }),
  'store.moved': said => ({ did: 'moved the store', more: said('to') }),
  'checkpoint.imported': said => ({ did: 'brought it here', more: said('bundle_id') }),
  'task.started': said => `started a task: ${said('kind')}`,
  'task.resumed': () => 'resumed the task',
  'task.cancelled': () => 'cancelled the task',
  'task.ended': said => `task ${said('status')}`,
  'task.pruned': () => 'deleted the task',
  'lease.released': said => ({ did: 'freed the run', more: `from ${said('owner')}` }),
  'widening.refused': (_, { settings }) => ({ did: 'may not let it do more', more: list(settings) }),
  'writer.taken': said => ({ did: 'took the right to write', more: said('from') && `from ${said('from')}` }),
}

/** A kind of a newer version is told by its name. */
export function deedOf(kind: AuditKind, data: JsonObject): Deed {
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind] : null
  const deed = words?.(key => text(data[key]), data) ?? kind
  return typeof deed === 'string' ? { did: deed } : deed
}

function text(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function list(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(text).join(', ') : text(value)
}
