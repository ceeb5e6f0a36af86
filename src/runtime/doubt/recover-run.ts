import type { StartedWork } from '../../core/doubt/started-work.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { rulingOn } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import { holdInDoubt, leftBehind, standsAs } from './hold-in-doubt.ts'

/**
 * P3, after the death of an owner: a call that was running may have had its effect. If its tool says that this does no
 * harm, it runs again, but not beside what the owner left running. Otherwise a person is asked what happened.
 */
export async function recoverRun(session: RunSession): Promise<void> {
  const { step } = session.run
  const cut = [...(step?.calls.values() ?? [])].filter(call => call.status === 'running')
  if (cut.length === 0 || !mayBegin(session.run)) return
  const { tools } = await session.agent()
  for (const call of cut) await recoverCall(session, call, tools.get(call.name) ?? null)
}

async function recoverCall(session: RunSession, call: ToolCall, tool: Tool | null): Promise<void> {
  const left = await leftBehind(session, call)
  const runsAgain = tool?.idempotent === true && !(await isAskedNow(session, call, tool))
  if (!runsAgain || !(await hasEnded(session, call, left.started))) await holdInDoubt(session, { call, tool, left })
}

/** P1: what was let pass under other rules does not run again by itself under these. */
async function isAskedNow(session: RunSession, call: ToolCall, tool: Tool): Promise<boolean> {
  const { final_arguments: args, hold_id } = call
  const { profile } = session.run
  if (typeof args === 'string') return true
  const { verdict } = await rulingOn(profile, tool, args)
  if (verdict === 'never') return hold_id === null || profile.policy.on_never === 'reject'
  return verdict === 'prompt' && hold_id === null && session.pausesFor('approval')
}

/** The time that an owner which just gave back its lease may need to end, in milliseconds. */
const ENDING_MS = 10_000
const LOOK_MS = 100

/** Waits for it a while. What certainly still runs then is not run a second time beside itself. */
async function hasEnded(session: RunSession, call: ToolCall, started: StartedWork | null): Promise<boolean> {
  const { clock } = session.runtime
  for (const since = clock.steady(); started && standsAs(session, call, started) === 'running'; ) {
    if (clock.steady() - since >= ENDING_MS) return false
    await clock.sleep(LOOK_MS, session.signal).catch(() => {})
    // The next owner recovers it.
    if (session.signal.aborted) return true
  }
  return true
}
