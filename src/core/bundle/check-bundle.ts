import { messageOf, type RefusedError } from '../errors.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import type { EventData, JournalEvent } from '../journal/event.ts'
import { apply, emptyThread } from '../journal/fold.ts'
import { openHolds, type Run, type RunStatus, runStatus, type Thread } from '../journal/thread.ts'
import { bundleRefusals } from '../refusals/bundle-refusals.ts'
import { canonicalJson, type Json } from '../text/json.ts'
import type { BundledThread, BundleHeader } from './bundle.ts'

/** The state of each run of a thread, and how it ended. */
export interface Standing {
  readonly status: RunStatus
  /** The type of its termination; `null` while it has none. */
  readonly ended: string | null
}

export interface CheckedBundle {
  readonly thread: Thread
  readonly run: Run
  readonly standings: ReadonlyMap<string, Standing>
}

/**
 * Checks a bundle against its journal: rows that differ are refused (P9: approvers see the original request).
 * @throws RefusedError `bundle_inconsistent`
 */
export function checkBundle(header: BundleHeader, { events, runs, holds, grants }: BundledThread): CheckedBundle {
  const thread = folded(header.thread_id, events)
  const { run } = thread
  if (run?.id !== header.run_id) throw inconsistent(`its newest run is ${run?.id}, not ${header.run_id}`)
  const named = events.find(
    ({ kind, data }) => kind === 'checkpoint.named' && data.checkpoint_id === header.checkpoint_id,
  )
  if (named?.run_id !== run.id || (run.announced?.seq ?? 0) > named.seq)
    throw inconsistent(`${header.checkpoint_id} is not the newest checkpoint of its journal`)
  refuseOtherRuns(events, runs)
  refuseForeignGrants(header.thread_id, { runs, grants })
  const opened = openings(events)
  const decided = decisions(events)
  for (const hold of holds)
    refuseOtherHold(hold, { opened: opened.get(hold.id), decided: decided.get(hold.id) ?? null })
  refuseOtherOpen(run, holds)
  return { thread, run, standings: new Map(runs.map(({ id }) => [id, standingOf(thread, id)])) }
}

function folded(threadId: string, events: readonly JournalEvent[]): Thread {
  const thread = emptyThread(threadId)
  try {
    for (const event of events) apply(thread, event)
  } catch (cause) {
    throw inconsistent(messageOf(cause), cause)
  }
  return thread
}

function standingOf({ run, finished }: Thread, id: string): Standing {
  const ended = finished.get(id)?.type ?? null
  if (run?.id !== id) return { status: 'done', ended }
  return { status: runStatus(run), ended: ended ?? run.ending?.type ?? null }
}

function refuseOtherRuns(events: readonly JournalEvent[], runs: readonly { readonly id: string }[]): void {
  const started = events.filter(({ kind }) => kind === 'run.started').map(({ run_id }) => run_id)
  if (runs.length !== started.length || runs.some(({ id }, index) => id !== started[index]))
    throw inconsistent('its runs are not those of its journal')
}

/** A grant moves with the thread only if it is for this thread alone. */
function refuseForeignGrants(threadId: string, { runs, grants }: Pick<BundledThread, 'runs' | 'grants'>): void {
  const own = new Set([threadId, ...runs.map(({ id }) => id)])
  const foreign = grants.find(({ scope, scope_id }) => scope === 'project' || !own.has(scope_id))
  if (foreign) throw inconsistent(`the grant ${foreign.id} is not for its thread alone`)
}

function openings(events: readonly JournalEvent[]): Map<string, EventData['hold.opened'] & { run_id: string }> {
  return new Map(
    events.flatMap(({ kind, data, run_id }) => (kind === 'hold.opened' ? [[data.hold_id, { ...data, run_id }]] : [])),
  )
}

function decisions(events: readonly JournalEvent[]): Map<string, Decision> {
  return new Map(
    events.flatMap(({ kind, data }) =>
      kind === 'hold.decided' || kind === 'hold.expired' ? [[data.hold_id, data.decision]] : [],
    ),
  )
}

interface HoldInJournal {
  readonly opened: (EventData['hold.opened'] & { run_id: string }) | undefined
  readonly decided: Decision | null
}

const SAME = ['kind', 'call_id', 'digest', 'run_id'] as const

function refuseOtherHold(hold: Hold, { opened, decided }: HoldInJournal): void {
  const other = SAME.find(key => opened?.[key] !== hold[key])
  if (other) throw inconsistent(`the ${other} of ${hold.id} is not that of its journal`)
  if (said(hold.decision) !== said(decided)) throw inconsistent(`${hold.id} tells of a decision that nobody made`)
}

/** The text of a decision for comparison: older decisions have no `grant` field. */
function said(decision: Decision | null): string {
  return canonicalJson((decision && { ...decision, grant: decision.grant ?? null }) as Json)
}

function refuseOtherOpen(run: Run, holds: readonly Hold[]): void {
  const open = holds.filter(({ status }) => status === 'open').map(({ id }) => id)
  const waits = new Set(openHolds(run).map(({ id }) => id))
  const isOver = run.termination !== null || run.ending !== null
  if (open.some(id => !waits.has(id)) || (!isOver && open.length !== waits.size))
    throw inconsistent('what is open in it is not what its journal waits for')
}

function inconsistent(detail: string, cause?: unknown): RefusedError {
  return bundleRefusals.inconsistent(detail, cause)
}
