import type { ToolCall } from '../core/tool-call.ts'
import { callDigest } from './call-digest.ts'
import { holdOf } from './gate-calls.ts'
import type { RunSession } from './run-session.ts'

/**
 * P3, after the death of an owner: a call that was running may have had its effect. It runs again only where its tool
 * says that this does no harm; otherwise a person is asked what happened.
 */
export async function recoverRun(session: RunSession): Promise<void> {
  const cut = [...(session.run.step?.calls.values() ?? [])].filter(call => call.status === 'running')
  if (cut.length === 0) return
  const { tools } = await session.agent()
  for (const call of cut) {
    const tool = tools.get(call.name)
    if (!tool?.idempotent) holdInDoubt(session, call, tool?.inputSchema ?? null)
  }
}

function holdInDoubt(session: RunSession, call: ToolCall, schema: Parameters<typeof callDigest>[1]['schema']): void {
  const message =
    `${call.name} was running when its process died, so nobody knows whether it took effect. ` +
    'Approve to run it again, respond with its result if it happened, reject if it failed.'
  const digest = callDigest(session.runtime.ids, { name: call.name, arguments: call.final_arguments, schema })
  const asked = { message, context: null, choices: null, response_schema: null }
  session.stageHold(holdOf(session, call, { kind: 'in_doubt', digest, asked }), 'the process died while it ran')
}
