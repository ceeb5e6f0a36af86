import type { AuditKind } from '../../core/audit/audit.ts'
import { readableRecord } from '../../core/audit/audit-query.ts'
import { processText, type StartedWork, WHY_UNWRITTEN, type WorkStanding } from '../../core/doubt/started-work.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Store } from '../../ports/store/store.ts'
import type { GateSession } from '../gate/gate-session.ts'
import { holdCall } from '../gate/hold-call.ts'
import { idempotencyKey, processStanding, workStanding } from '../lease/work-standing.ts'

/** The parts of a session that calls in doubt need: those of the gate, processes and journals. */
export interface DoubtSession extends GateSession {
  readonly runtime: GateSession['runtime'] &
    Pick<Runtime, 'liveness' | 'clock'> & { readonly store: Pick<Store, 'journal' | 'audit'> }
}

interface Doubted {
  readonly call: ToolCall
  /** `null` if the tool no longer exists. */
  readonly tool: Tool | null
  readonly left: LeftBehind
}

export interface LeftBehind {
  /** `null` if an older version ran it, or its tool is over. */
  readonly started: StartedWork | null
  /** Why nobody knows its outcome. */
  readonly because: string
}

/** P3: asks people what came of a call whose outcome nobody knows. */
export function holdInDoubt(session: DoubtSession, { call, tool, left }: Doubted): Promise<void> {
  const { started, because } = left
  const output = call.cut_off?.said?.trim() ?? ''
  const stillRuns = started !== null && stateOfWork(session, call, started) === 'running'
  const message =
    `${call.name} had started, and ${because}, so nobody knows whether it took effect. ` +
    'Approve to run it again, respond with its result if it happened, reject if it failed.' +
    (output === '' ? '' : ` When it was stopped, it said: ${output}`) +
    (stillRuns ? ` When this was asked, what it had started was still running (${processText(started)}).` : '')
  return holdCall(session, {
    ...{ call, tool, request: { kind: 'in_doubt', message }, why: { because, plugin: null } },
    ...(started && { started }),
  })
}

/** What the last attempt of a call left, as far as is known. */
export async function leftBehind(session: DoubtSession, call: ToolCall): Promise<LeftBehind> {
  // A tool that threw as it was stopped is over.
  if (call.cut_off) return { started: null, because: call.cut_off.because }
  const owner = await ownerOf(session, call)
  const key = idempotencyKey(session.thread.id, call.id)
  const command = session.runtime.liveness.commandOf?.(key) ?? null
  return {
    started: command ? { what: 'command', process: command.process, since: owner?.since ?? '' } : owner,
    because: await whyUnwritten(session, owner),
  }
}

/** P11: the record of how the owner's lease ended is more precise than the owner's present state. */
async function whyUnwritten({ runtime, run }: DoubtSession, owner: StartedWork | null): Promise<string> {
  if (owner === null) return WHY_UNWRITTEN.unknown
  const rows = await runtime.store.audit({ run_id: run.id, since: owner.since, order: 'newest', limit: MOST_RECORDS })
  const records = rows.flatMap(row => readableRecord(row) ?? [])
  const last = records.find(({ kind, data }) => TAKEN.includes(kind) && data['owner'] === owner.process)
  if (last?.kind === 'lease.given_back')
    return `its process could not write down what came of it (${String(last.data['because'])})`
  if (last?.kind === 'lease.released')
    return `${last.actor} freed its run from its process, which had not written down what came of it`
  return WHY_UNWRITTEN[processStanding(runtime.liveness, owner.process)]
}

const TAKEN: readonly AuditKind[] = ['lease.given_back', 'lease.released']

/** A lease ends shortly before its run is recovered. */
const MOST_RECORDS = 50

async function ownerOf({ runtime, thread, run }: DoubtSession, call: ToolCall): Promise<StartedWork | null> {
  const events = await runtime.store.journal(thread.id)
  const claim = events.findLast(
    ({ kind, run_id, data }) => kind === 'call.started' && run_id === run.id && data.call_id === call.id,
  )
  if (claim?.kind !== 'call.started' || claim.data.process === undefined) return null
  return { what: 'owner', process: claim.data.process, since: claim.at }
}

export function stateOfWork({ runtime, thread }: DoubtSession, { id }: ToolCall, started: StartedWork): WorkStanding {
  return workStanding(runtime.liveness, started, idempotencyKey(thread.id, id))
}
