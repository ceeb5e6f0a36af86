/** Starts, holds, decisions and requests for the tests of a store: a test names only the fields that it is about. */

import type { NewRequest } from '../../core/advancing/request.ts'
import type { Amendment, HoldEvent } from '../../core/deciding/amendment.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { NewGrant } from '../../core/hold/grant.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import { type PlainEvent, plainEvent } from '../../core/journal/event.ts'
import { NO_TIMING } from '../../core/people/due.ts'
import type { Json } from '../../core/text/json.ts'
import type { Commit, Rest } from '../../ports/store/journal.ts'
import type { PruneQuery } from '../../ports/store/retention.ts'
import type { Claim, Claimed, Lease, Start } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import { sampleDigest } from './sample-digest.ts'

export function aPrune(changes: Partial<PruneQuery> = {}): PruneQuery {
  return { before: '2030-01-01T00:00:00.500Z', dry_run: false, by: 'ana', surface: 'test', ...changes }
}

/** `th_1`, with a hold for each of the grants that were given along with their approvals. */
export async function aFinishedThread(store: Store, grants: readonly NewGrant[] = []): Promise<void> {
  await store.start(aStart({ opens: grants.map(({ hold_id }) => aHold(hold_id)) }))
  await store.decide(grants.map(grant => aDecision(grant.hold_id, { grant })))
  const lease = await claimed(store)
  await store.append(lease, grants.length + 2, { events: [], rest: END })
}

/** Given along with the approval of a hold of `th_1`. */
export function aScopedGrant(id: string, scope: NewGrant['scope']): NewGrant {
  const scope_id = { run: 'run_1', thread: 'th_1', project: '/' }[scope]
  return aGrant(id, { scope, scope_id, hold_id: `hold_${id.slice(id.indexOf('_') + 1)}` })
}

export function aStart(
  options: {
    run?: string
    thread?: string
    after?: number
    status?: Start['status']
    hold_scope?: 'batch' | 'call'
    parent_run_id?: string
    checkpoint_id?: string
    ended?: string
    events?: readonly PlainEvent[]
    opens?: readonly NewHold[]
  } = {},
): Start {
  const { run = 'run_1', thread = 'th_1', after = 0, status = 'running', hold_scope = 'batch' } = options
  const events = [event('go', run), plainEvent({ kind: 'step.started', run_id: run, data: { step: 1 } })]
  const parent = options.parent_run_id === undefined ? {} : { parent_run_id: options.parent_run_id }
  return {
    run: { id: run, agent: 'tester', hold_scope, ...parent },
    thread_id: thread,
    after,
    events: options.events ?? events,
    ...(options.opens && { opens: options.opens }),
    status,
    checkpoint_id: options.checkpoint_id ?? null,
    ...(options.ended && { ended: options.ended }),
  }
}

/** The fields of a start that leaves a run which takes no request any more. */
export const OVER: readonly (readonly [what: string, row: Pick<Start, 'status'> & { readonly ended?: string }])[] = [
  ['done', { status: 'done' }],
  ['about to end', { status: 'running', ended: 'cancelled' }],
]

export function aRest(changes: Partial<Rest> = {}): Rest {
  return { events: [], release: true, ...changes }
}

export const END: Rest = aRest({
  events: [event('the end')],
  run: { status: 'done', ended: 'natural_end' },
  withdraws: ['hold_1'],
})

/** A message to `run_1`. */
export function aRequest(changes: Partial<NewRequest> = {}): NewRequest {
  const data = { content: 'wait', author: 'ana', supersede: false }
  const event = { kind: 'message.queued', run_id: 'run_1', data } as const
  return { run_id: 'run_1', event, withdraw: false, unlessWaiting: false, ...changes }
}

export function aCancel(changes: Partial<NewRequest> = {}): NewRequest {
  const event = { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ana', reason: null } } as const
  return { ...aRequest(), event, withdraw: true, ...changes }
}

export function event(content: Json, run_id = 'run_1'): PlainEvent {
  return plainEvent({ kind: 'message.received', run_id, data: said(content) })
}

export function said(content: Json): { content: string; author: null; forced_by: null } {
  return { content: content as string, author: null, forced_by: null }
}

export function note(text: string, run_id = 'run_1'): Commit {
  return { events: [event(text, run_id)] }
}

const DEPLOY = { type: 'object', properties: { to: { type: 'string' } } }

export function aHold(id: string, changes: Partial<NewHold> = {}): NewHold {
  return {
    id,
    kind: 'approval',
    run_id: 'run_1',
    call_id: `call_${id.slice(id.indexOf('_') + 1)}`,
    tool: 'deploy',
    arguments: { to: 'production' },
    digest: sampleDigest({ name: 'deploy', arguments: { to: 'production' }, schema: DEPLOY }),
    message: 'May deploy run?',
    context: null,
    choices: null,
    response_schema: null,
    resume_mode: 'replay_tool_call',
    tool_schema: DEPLOY,
    ...NO_TIMING,
    agent: 'worker',
    destructive: false,
    deciders: null,
    requesters: [],
    ...changes,
  }
}

export let decisions = 0

export function aDecision(hold_id: string, changes: Partial<ReadyDecision> = {}): ReadyDecision {
  decisions += 1
  return {
    hold_id,
    decision_id: `dec_${decisions}`,
    verdict: 'approve',
    arguments: null,
    value: null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '2030-01-01T00:00:00.000Z',
    grant: null,
    ...changes,
  }
}

export const REMINDED: Extract<HoldEvent, { kind: 'hold.reminded' }> = {
  kind: 'hold.reminded',
  run_id: 'run_1',
  data: {
    hold_id: 'hold_1',
    call_id: 'call_1',
    number: 1,
    remind_at: '2030-01-01T00:00:01.000Z',
    assignee: null,
  },
}

export const ESCALATED: Extract<HoldEvent, { kind: 'hold.escalated' }> = {
  kind: 'hold.escalated',
  run_id: 'run_1',
  data: { hold_id: 'hold_1', call_id: 'call_1', level: 1, assignee: '@managers', due_at: '2030-01-02T00:00:00.000Z' },
}

export const EXPIRED: Extract<HoldEvent, { kind: 'hold.expired' }> = expired('hold_1')

export function expired(hold_id: string): Extract<HoldEvent, { kind: 'hold.expired' }> {
  const { hold_id: _, ...decision } = aDecision(hold_id, { verdict: 'reject', decided_by: 'holdpoint' })
  const call_id = `call_${hold_id.slice(hold_id.indexOf('_') + 1)}`
  return {
    kind: 'hold.expired',
    run_id: 'run_1',
    data: { hold_id, call_id, status: 'resuming', on_due: 'reject', decision },
  }
}

export function of<E extends HoldEvent>(event: E, hold_id: string): E {
  return { ...event, data: { ...event.data, hold_id } }
}

export function amendment(event: HoldEvent, seen: Amendment['seen'] = null): Amendment {
  return { hold_id: 'hold_1', event, seen }
}

export function aGrant(id: string, changes: Partial<NewGrant> = {}): NewGrant {
  return {
    id,
    name: 'deploys',
    scope: 'run',
    scope_id: 'run_1',
    agent: 'worker',
    tool: 'deploy',
    arguments: { to: 'production' },
    match: null,
    schema_digest: 'sha256:0',
    hold_id: 'hold_1',
    granted_by: 'ana',
    surface: 'test',
    granted_at: '2030-01-01T00:00:00.000Z',
    expires_at: null,
    ...changes,
  }
}

export function aClaim(changes: Partial<Claim> = {}): Claim {
  return { run_id: 'run_1', owner: 'one', ttl_ms: 10_000, ...changes }
}

export async function claimed(store: Store, changes: Partial<Claim> = {}): Promise<Lease> {
  const result: Claimed | null = await store.claim(aClaim(changes))
  if (result?.outcome !== 'claimed') throw new TypeError(`the claim got ${JSON.stringify(result)}`)
  return result.lease
}

export function errorOf(receipt: Receipt | undefined): RefusedError | null {
  return receipt?.outcome === 'refused' ? receipt.error : null
}

export const NOTHING: Awaited<ReturnType<typeof everything>> = {
  runs: [],
  holds: [],
  grants: [],
  journals: [],
  audit: [],
}

/** All that can be read from a store, to see that something left no trace. */
export async function everything(
  store: Store,
): Promise<Readonly<Record<'runs' | 'holds' | 'grants' | 'journals' | 'audit', unknown>>> {
  const threads = ['th_0', 'th_1', 'th_2']
  const journals = await Promise.all(threads.map(id => store.journal(id)))
  const [runs, holds, grants, audit] = await Promise.all([
    store.runs({}),
    store.holds({}),
    store.grants({}),
    store.audit({}),
  ])
  return { runs, holds, grants, journals: journals.flat(), audit }
}
