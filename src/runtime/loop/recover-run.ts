import { mayBegin } from '../../core/journal/may-run.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { holdCall } from '../gate/hold-call.ts'
import { rulingOn } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'

/**
 * P3, after the death of an owner: a call that was running may have had its effect. If its tool says that this does no
 * harm, it runs again. Otherwise a person is asked what happened.
 */
export async function recoverRun(session: RunSession): Promise<void> {
  const { step } = session.run
  const cut = [...(step?.calls.values() ?? [])].filter(call => call.status === 'running')
  if (cut.length === 0 || !mayBegin(session.run)) return
  const { tools } = await session.agent()
  for (const call of cut) {
    const tool = tools.get(call.name) ?? null
    if (!tool?.idempotent || (await isAskedNow(session, call, tool))) await holdInDoubt(session, call, tool)
  }
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

function holdInDoubt(session: RunSession, call: ToolCall, tool: Tool | null): Promise<void> {
  const { because, said } = call.cut_off ?? { because: ENDED, said: null }
  const message =
    `${call.name} had started, and ${because}, so nobody knows whether it took effect. ` +
    'Approve to run it again, respond with its result if it happened, reject if it failed.' +
    (said === null ? '' : ` When it was stopped, it said: ${said.trim()}`)
  return holdCall(session, { call, tool, request: { kind: 'in_doubt', message }, why: { because, plugin: null } })
}

/** All that is known where the journal says no more: it may have died, been killed, or been unable to write. */
const ENDED = 'its process ended before it wrote down what came of it'
