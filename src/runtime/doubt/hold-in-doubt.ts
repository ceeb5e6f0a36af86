import { processText, type StartedWork, WHY_UNWRITTEN, type WorkStanding } from '../../core/doubt/started-work.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { holdCall } from '../gate/hold-call.ts'
import { idempotencyKey, processStanding, workStanding } from '../lease/work-standing.ts'
import type { RunSession } from '../session/run-session.ts'

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
export function holdInDoubt(session: RunSession, { call, tool, left }: Doubted): Promise<void> {
  const { started, because } = left
  const said = call.cut_off?.said?.trim() ?? ''
  const stillRuns = started !== null && standsAs(session, call, started) === 'running'
  const message =
    `${call.name} had started, and ${because}, so nobody knows whether it took effect. ` +
    'Approve to run it again, respond with its result if it happened, reject if it failed.' +
    (said === '' ? '' : ` When it was stopped, it said: ${said}`) +
    (stillRuns ? ` When this was asked, what it had started was still running (${processText(started)}).` : '')
  return holdCall(session, {
    ...{ call, tool, request: { kind: 'in_doubt', message }, why: { because, plugin: null } },
    ...(started && { started }),
  })
}

/** What the last attempt of a call left, as far as it is known. */
export async function leftBehind(session: RunSession, call: ToolCall): Promise<LeftBehind> {
  // A tool that threw as it was stopped is over.
  if (call.cut_off) return { started: null, because: call.cut_off.because }
  const owner = await ownerOf(session, call)
  const key = idempotencyKey(session.thread.id, call.id)
  const command = session.runtime.liveness.commandOf?.(key) ?? null
  return {
    started: command ? { what: 'command', process: command.process, since: owner?.since ?? '' } : owner,
    because: WHY_UNWRITTEN[owner === null ? 'unknown' : processStanding(session.runtime.liveness, owner.process)],
  }
}

async function ownerOf({ runtime, thread, run }: RunSession, call: ToolCall): Promise<StartedWork | null> {
  const events = await runtime.store.journal(thread.id)
  const claim = events.findLast(
    ({ kind, run_id, data }) => kind === 'call.started' && run_id === run.id && data.call_id === call.id,
  )
  if (claim?.kind !== 'call.started' || claim.data.process === undefined) return null
  return { what: 'owner', process: claim.data.process, since: claim.at }
}

export function standsAs({ runtime, thread }: RunSession, { id }: ToolCall, started: StartedWork): WorkStanding {
  return workStanding(runtime.liveness, started, idempotencyKey(thread.id, id))
}
