/** The policy of a run (DESIGN §7), as a plugin like any other; the runtime puts it before all others of an agent. */
import { usualMessage } from '../core/hold.ts'
import type { JsonObject } from '../core/json.ts'
import type { Ruling } from '../core/policy.ts'
import type { Profile } from '../core/profile.ts'
import type { CallError } from '../core/tool-call.ts'
import type { BeforeToolExecute, HeldCall, Plugin } from '../ports/plugin.ts'
import type { Tool, ToolQuestion } from '../ports/tool.ts'
import { rulingOn } from './ruling.ts'

export const POLICY_GATE = 'policy'

export const policyGate: Plugin = {
  name: POLICY_GATE,
  hooks: {
    async beforeToolExecute({ profile }, { tool, final_arguments }: HeldCall) {
      const args = final_arguments as JsonObject
      const ruling = await rulingOn(profile.policy, tool, args, profile.workdir)
      if (ruling.verdict === 'never') return forbid(profile, tool, ruling)
      if (tool.asks) return ask(profile, tool.asks(args))
      return ruling.verdict === 'auto' ? { because: ruling.rule } : askOrPass(profile, tool, ruling)
    },
  },
}

function askOrPass({ pause_on }: Profile, { name }: Tool, ruling: Ruling): BeforeToolExecute {
  if (pause_on.includes('approval')) return approval(usualMessage(name), ruling.rule)
  if (ruling.binding) return { deny: forbidden(`${ruling.rule}, and this run does not pause for approval.`) }
  return { because: 'this run does not pause for approval' }
}

/** `never` is refused at once, or put to a person who may override it. To approve a question would answer nothing. */
function forbid({ pause_on, policy }: Profile, { name, asks }: Tool, ruling: Ruling): BeforeToolExecute {
  const mayAsk = !asks && pause_on.includes('approval') && policy.on_never === 'pause'
  return mayAsk ? approval(usualMessage(name), ruling.rule) : { deny: neverSaid(ruling) }
}

/** Why a call that somebody released may not run all the same: policy says never now, and nobody can override that. */
export async function forbiddenNow(profile: Profile, { tool, final_arguments }: HeldCall): Promise<CallError | null> {
  if (profile.policy.on_never !== 'reject') return null
  const ruling = await rulingOn(profile.policy, tool, final_arguments as JsonObject, profile.workdir)
  return ruling.verdict === 'never' ? neverSaid(ruling) : null
}

function approval(message: string, because: string): BeforeToolExecute {
  return { suspend: { kind: 'approval', message }, because }
}

function ask({ pause_on }: Profile, { response_schema, ...question }: ToolQuestion): BeforeToolExecute {
  if (!pause_on.includes('question'))
    return { deny: forbidden('nobody can be asked: this run does not pause for questions.') }
  const suspend = { kind: 'question', ...question, responseSchema: response_schema } as const
  return { suspend, because: suspend.kind === 'question' ? 'the agent asks' : 'the tool runs elsewhere' }
}

export function neverSaid({ rule }: Ruling): CallError {
  return forbidden(`policy says never (${rule}).`)
}

function forbidden(message: string): CallError {
  return { code: 'TOOL_CALL_FORBIDDEN', message }
}
