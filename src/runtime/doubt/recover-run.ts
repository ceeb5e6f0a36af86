import type { StartedWork } from '../../core/doubt/started-work.ts'
import { mayBox } from '../../core/effect/boxed-rules.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { rulingOn } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import { type DoubtSession, holdInDoubt, leftBehind, stateOfWork } from './hold-in-doubt.ts'

/**
 * P3, after the death of an owner: a call that was running may have had its effect. If its tool declares that harmless,
 * the call runs again, but never while the owner's work still runs. Otherwise a person is asked what happened.
 */
export async function recoverRun(session: RunSession): Promise<void> {
  const { step } = session.run
  const cut = [...(step?.calls.values() ?? [])].filter(call => call.status === 'running')
  if (cut.length === 0 || !mayBegin(session.run)) return
  const { tools } = await session.agent()
  for (const call of cut) await recoverCall(session, call, tools.get(call.name) ?? null)
}

async function recoverCall(session: DoubtSession, call: ToolCall, tool: Tool | null): Promise<void> {
  const left = await leftBehind(session, call)
  const runsAgain = tool !== null && (await mayRunAgain(session, call, tool))
  if (!runsAgain || !(await hasEnded(session, call, left.started))) await holdInDoubt(session, { call, tool, left })
}

/**
 * P1: what was let pass under other rules does not run again by itself under these. What was cut off in a box had no
 * effect, or goes on with the one that was begun.
 */
async function mayRunAgain(session: DoubtSession, call: ToolCall, tool: Tool): Promise<boolean> {
  const { final_arguments: args, hold_id } = call
  const { profile } = session.run
  if (typeof args === 'string' || (!tool.idempotent && !mayBox(profile.policy))) return false
  const { verdict } = await rulingOn(profile, tool, args)
  if (verdict === 'box') return true
  if (!tool.idempotent) return false
  if (verdict === 'never') return hold_id !== null && profile.policy.on_never !== 'reject'
  return verdict !== 'prompt' || hold_id !== null || !session.pausesFor('approval')
}

/** The time that an owner which just gave back its lease may need to end, in milliseconds. */
const ENDING_MS = 10_000
const LOOK_MS = 100

/** Waits a while for the started work to end. Work that certainly still runs is never started a second time. */
async function hasEnded(session: DoubtSession, call: ToolCall, started: StartedWork | null): Promise<boolean> {
  const { clock } = session.runtime
  for (const since = clock.steady(); started && stateOfWork(session, call, started) === 'running'; ) {
    if (clock.steady() - since >= ENDING_MS) return false
    await clock.sleep(LOOK_MS, session.signals.signal).catch(() => {})
    session.signals.throwIfStopped()
  }
  return true
}
