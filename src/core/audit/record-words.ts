/** A record in words, for people. Digests, keys and ids that only programs compare are left out: `--json` has them. */

import { outcomeText } from '../run/outcome/call-outcome.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import type { AuditKind } from './audit.ts'

/** A record for people: the deed in two or three words, and further details. */
export interface Deed {
  readonly did: string
  readonly more?: string
}

type Words = (text: (key: string) => string, data: JsonObject) => Deed | string

const VERDICTS: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with changes',
  respond: 'answered',
  cancel: 'cancelled',
}

const decided = (field: (key: string) => string, { override, grant, reason, member_of }: JsonObject): Deed => {
  const also = [
    ...(isJsonObject(member_of ?? null) ? [groupWords(member_of as JsonObject)] : []),
    ...(override === true ? ['against a never of the policy'] : []),
    ...(grant ? [`always allowed from here on: ${text((grant as JsonObject)['name'])}`] : []),
    text(reason),
  ]
  return { did: VERDICTS[field('verdict')] ?? field('verdict'), more: also.filter(part => part !== '').join('; ') }
}

const groupWords = ({ groups, issuer }: JsonObject) =>
  `in ${(groups as string[]).map(group => `@${group}`).join(', ')} by the word of ${text(issuer)}`

const providerCallWords = ({ name, permitted, rule }: JsonObject): string =>
  `${text(name)} (${permitted === true ? '' : 'not permitted: '}${text(rule)})`

/** A new kind of record does not compile until it has its words. */
const WORDS: { readonly [K in AuditKind]: Words | null } = {
  'thread.forked': null,
  'run.started': field => `${field('agent')} started`,
  'run.configured': (_, { settings, widened }) => ({
    did: 'changed settings',
    more: `${list(settings)}${list(widened) === '' ? '' : `; it may do more by ${list(widened)}`}`,
  }),
  'message.received': null,
  'message.queued': () => 'spoke in between',
  'message.delivered': null,
  'cancel.requested': field => ({ did: 'cancelled the run', more: field('reason') }),
  'phase.passed': null,
  'plugin.set': null,
  'step.started': null,
  'model.answered': (_, { provider_calls: calls }) => ({
    did: 'the provider of the model ran',
    more: Array.isArray(calls) ? calls.filter(isJsonObject).map(providerCallWords).join('; ') : '',
  }),
  'answer.asked_again': null,
  'model.unavailable': field => ({ did: 'waits for its provider', more: field('code') }),
  'model.switched': null,
  'context.repaired': null,
  'compaction.requested': null,
  'context.compacted': null,
  'call.gated': field => ({ did: 'let pass', more: field('rule') }),
  'call.started': (_, { attempt }) => (attempt === 1 ? 'call started' : `call started, try ${text(attempt)}`),
  'call.unclaimed': () => 'call put back before it began',
  'call.cut_off': field => ({ did: 'call cut off', more: field('because') }),
  'call.finished': (field, { exit_code }) => {
    const exit = { exit_code: typeof exit_code === 'number' ? exit_code : 0, signal: field('signal') || null }
    const ending = outcomeText(exit)
    return { did: ending === '' ? `call ${field('status')}` : `call ended with ${ending}`, more: field('error') }
  },
  'hold.opened': (field, { forbidden }) => ({
    did: `waits: ${field('kind')}`,
    more: `${forbidden === true ? 'policy says never; ' : ''}${field('because')}`,
  }),
  'hold.decided': decided,
  'hold.voted': (field, data) => ({
    ...decided(field, data),
    did: `${decided(field, data).did}, ${field('have')} of ${field('need')}`,
  }),
  'hold.unclear': () => 'gave no clear answer',
  'hold.assigned': field => ({ did: `assigned to ${field('assignee') || 'nobody'}`, more: field('reason') }),
  'hold.reminded': field => `reminded ${field('assignee')}`,
  'hold.escalated': field => `escalated to ${field('assignee')}`,
  'hold.expired': (field, data) => ({ ...decided(field, data), did: `overdue: ${decided(field, data).did}` }),
  'hold.withdrawn': field => ({ did: 'withdrawn', more: field('because') }),
  'step.ended': null,
  'checkpoint.named': null,
  'run.ending': null,
  'run.finished': field => `run ${field('outcome')}`,
  note: null,
  'decision.refused': field => ({
    did: field('verdict') === '' ? 'was turned away' : `may not ${field('verdict')}`,
    more: field('code'),
  }),
  'hold.shown': (_, { in_full }) => (in_full === true ? 'saw it' : 'was shown it'),
  'grant.given': (_, { grant }) => ({
    did: 'always allowed it',
    more: isJsonObject(grant) ? text(grant['name']) : '',
  }),
  'grant.revoked': field => ({ did: 'revoked a grant', more: field('grant_id') }),
  'access.added': field => ({ did: 'added a token', more: `${field('name')} (${field('role')})` }),
  'access.revoked': field => ({ did: 'revoked a token', more: field('name') }),
  'place.trusted': field => ({ did: 'trusted a container or sandbox', more: field('namespaces') }),
  'session.opened': field => ({ did: 'signed in', more: `${field('role')}, by ${field('by')}` }),
  'session.ended': field => ({ did: 'signed out', more: field('name') }),
  'thread.pruned': () => 'deleted the session',
  'checkpoint.exported': field => ({ did: 'moved it away', more: field('bundle_id') }),
  'store.moved': field => ({ did: 'moved the store', more: field('to') }),
  'checkpoint.imported': field => ({ did: 'brought it here', more: field('bundle_id') }),
  'task.started': field => `started a task: ${field('kind')}`,
  'task.resumed': () => 'resumed the task',
  'task.cancelled': () => 'cancelled the task',
  'task.ended': field => `task ${field('status')}`,
  'task.pruned': () => 'deleted the task',
  'lease.released': field => ({ did: 'freed the run', more: `from ${field('owner')}` }),
  'lease.given_back': field => ({ did: 'its process could not write', more: field('because') }),
  'command.stopped': field => ({ did: 'stopped what it had started', more: field('process') }),
  'effect.undone': field => ({ did: 'took back what it changed', more: field('files') && `${field('files')} files` }),
  'widening.refused': (_, { settings }) => ({ did: 'may not let it do more', more: list(settings) }),
  'writer.taken': field => ({ did: 'took the right to write', more: field('from') && `from ${field('from')}` }),
}

/** The words of a record. A kind of a newer version is shown by its name. */
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
