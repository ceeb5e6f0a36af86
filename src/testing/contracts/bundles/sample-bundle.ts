/** Threads that move, as the contract makes them. */
import type { BundledThread } from '../../../core/bundle/bundle.ts'
import type { ReadyDecision } from '../../../core/deciding/receipt.ts'
import type { NewHold } from '../../../core/hold/hold.ts'
import { type NewEvent, type PlainEvent, plainEvent } from '../../../core/journal/event.ts'
import { NO_TIMING } from '../../../core/people/due.ts'
import type { Start } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { ThreadExport, ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { sampleDigest } from '../sample-digest.ts'
import { aDecision, aProfile } from '../sample-journal.ts'

export const DIGEST: string = sampleDigest({
  name: 'deploy',
  arguments: { to: 'production' },
  schema: { type: 'object' },
})
export const DUE = '2030-01-02T00:00:00.000Z'

export function said(content: string): PlainEvent {
  return plainEvent({ kind: 'message.received', run_id: 'run_1', data: { content, author: null, forced_by: null } })
}

export function aHold(): NewHold {
  return {
    ...{ ...NO_TIMING, due_at: DUE, on_due: 'cancel' as const },
    ...{ id: 'hold_1', kind: 'approval' as const, run_id: 'run_1', agent: 'tester', call_id: 'call_1', tool: 'deploy' },
    ...{
      arguments: { to: 'production' },
      digest: DIGEST,
      message: 'May deploy run?',
      context: null,
      choices: null,
    },
    ...{ response_schema: null, resume_mode: 'replay_tool_call' as const, tool_schema: { type: 'object' } },
    ...{ destructive: false, deciders: null, requesters: [], assignee: null },
  }
}

export const opened: PlainEvent = plainEvent({
  kind: 'hold.opened',
  run_id: 'run_1',
  data: {
    ...{ hold_id: 'hold_1', kind: 'approval', call_id: 'call_1', status: 'suspended', digest: DIGEST },
    ...{ because: 'default: prompt', plugin: 'policy', resume_mode: 'replay_tool_call' },
  },
})

export const expiry: NewEvent & { readonly kind: 'hold.expired' } = {
  kind: 'hold.expired',
  run_id: 'run_1',
  data: { hold_id: 'hold_1', call_id: 'call_1', status: 'resuming', on_due: 'reject', decision: aDecision('reject') },
}

export function aStart(): Start {
  return {
    run: { id: 'run_1', agent: 'tester', hold_scope: 'batch' },
    thread_id: 'th_1',
    after: 0,
    events: [
      plainEvent({ kind: 'run.started', run_id: 'run_1', data: { profile: aProfile(), carried: null, pinned: null } }),
    ],
    status: 'waiting',
    checkpoint_id: 'cp_1',
  }
}

/** A run whose journal ends with a wait. */
export async function waiting(store: Store, changes: Partial<Start> = {}): Promise<readonly unknown[]> {
  const events = [...aStart().events, said('go'), opened]
  return store.start({ ...aStart(), events, opens: [aHold()], ...changes })
}

export function anExport(changes: Partial<ThreadExport> = {}): ThreadExport {
  return {
    ...{ thread_id: 'th_1', run_id: 'run_1', checkpoint_id: 'cp_1', after: 3, bundle_id: 'bundle_1', by: 'ana' },
    surface: 'test',
    ...changes,
  }
}

export type Moved = Extract<Awaited<ReturnType<Store['bundles']['export']>>, { outcome: 'exported' }>

export async function moved(store: Store, changes: Partial<ThreadExport> = {}): Promise<Moved> {
  const attempt = await store.bundles.export(anExport(changes))
  if (attempt.outcome !== 'exported') throw new TypeError(`the export got ${JSON.stringify(attempt)}`)
  return attempt
}

export interface Content {
  readonly thread: BundledThread
}

export async function arrived(
  store: Store,
  { thread }: Content,
  changes: Partial<ThreadImport> = {},
): Promise<unknown> {
  const isDecided = thread.holds.every(({ status }) => status !== 'open')
  const standing = { status: isDecided ? ('running' as const) : ('waiting' as const), ended: null }
  return store.bundles.import({
    ...thread,
    ...{ bundle_id: 'bundle_1', thread_id: 'th_1', run_id: 'run_1', checkpoint_id: 'cp_1', behind: [], data: {} },
    ...{ by: 'ben', surface: 'test', runs: thread.runs.map(run => ({ ...run, ...standing })) },
    ...changes,
  })
}

export async function contentOf(store: Store): Promise<BundledThread> {
  const [events, holds] = await Promise.all([store.journal('th_1'), store.holds({})])
  return { created_at: '2030-01-01T00:00:00.000Z', events, runs: [], holds, grants: [] }
}

export function approval(): ReadyDecision {
  return { ...aDecision('approve', { digest: DIGEST }), hold_id: 'hold_1' }
}

export function aClaim(): { run_id: string; owner: string; ttl_ms: number } {
  return { run_id: 'run_1', owner: 'one', ttl_ms: 10_000 }
}

export async function kinds(store: Store): Promise<string[]> {
  return (await store.audit({})).map(({ record }) => JSON.parse(record).kind)
}

/** All that can be read from a store, to see that something left no trace. */
export async function told(store: Store): Promise<unknown> {
  const journals = await Promise.all(['th_1', 'th_2'].map(id => store.journal(id)))
  return [
    journals,
    await store.runs({}),
    await store.holds({}),
    await store.audit({}),
    await store.bundles.imports('th_1'),
  ]
}
