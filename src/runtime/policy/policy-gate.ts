/** The policy of a run (docs/design/policy.md) as a plugin. The runtime puts it before all others of an agent. */
import { afterwards } from '../../async/afterwards.ts'
import { usualMessage } from '../../core/hold/hold.ts'
import { askedNobody } from '../../core/policy/asked-nobody.ts'
import { type Ruling, STRICTNESS } from '../../core/policy/policy.ts'
import { neverWords, notAskedWords } from '../../core/policy/refused-words.ts'
import type { PauseKind, Profile } from '../../core/run/profile.ts'
import type { CallError } from '../../core/run/tool-call.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { BeforeToolExecute, HeldCall, Plugin } from '../../ports/agent/plugin.ts'
import type { Tool, ToolQuestion } from '../../ports/agent/tool.ts'
import { approvalRequired, coveredBy } from './approval-words.ts'
import { type Ruled, rulingOn } from './ruling.ts'

export const POLICY_GATE = 'policy'

export const policyGate: Plugin = {
  name: POLICY_GATE,
  hooks: {
    beforeToolExecute: ({ profile }, call: HeldCall) => gateByPolicy(profile, call),
  },
}

/** The parts of a profile that the gate reads. */
export type Gating = Pick<Profile, 'pause_on' | 'unasked'> & Ruled

/** The gate's answer to a call, by policy alone. */
export function gateByPolicy(
  profile: Gating,
  call: Pick<HeldCall, 'tool' | 'final_arguments' | 'demanded'>,
): BeforeToolExecute | Promise<BeforeToolExecute> {
  const args = call.final_arguments as JsonObject
  return afterwards(rulingOn(profile, call.tool, args), ruling => gateByRuling(profile, call, ruling))
}

function gateByRuling(
  profile: Gating,
  { tool, final_arguments, demanded }: Pick<HeldCall, 'tool' | 'final_arguments' | 'demanded'>,
  ruling: Ruling,
): BeforeToolExecute {
  const args = final_arguments as JsonObject
  if (ruling.verdict === 'never') return forbid(profile, tool, ruling)
  if (tool.asks) return ask(profile, tool.asks(args))
  if (demanded && !demanded.given) return { deny: approvalRequired(tool, demanded) }
  // An approval in words covers the call, unless its ruling always needs a person.
  if (demanded?.given && !ruling.binding) return { because: coveredBy(demanded) }
  return STRICTNESS[ruling.verdict] < STRICTNESS.prompt ? { because: ruling.rule } : askOrPass(profile, tool, ruling)
}

function askOrPass({ pause_on, unasked }: Gating, { name }: Tool, ruling: Ruling): BeforeToolExecute {
  if (pause_on.includes('approval')) return approval(usualMessage(name), ruling)
  if (ruling.binding || unasked === 'refuse') return { deny: forbidden(notAskedWords(ruling.rule, 'approval')) }
  return { because: askedNobody(name, ruling) }
}

/** `never` is refused at once, or put to a person who may override it. To approve a question would answer nothing. */
function forbid({ pause_on, policy }: Gating, { name, asks }: Tool, ruling: Ruling): BeforeToolExecute {
  const mayAsk = !asks && pause_on.includes('approval') && policy.on_never === 'pause'
  return mayAsk ? approval(usualMessage(name), ruling) : { deny: neverSaid(ruling) }
}

/** The reason if a released call may not run after all: policy now rules `never`, and no approver can override that. */
export async function forbiddenNow(profile: Profile, { tool, final_arguments }: HeldCall): Promise<CallError | null> {
  if (profile.policy.on_never !== 'reject') return null
  const ruling = await rulingOn(profile, tool, final_arguments as JsonObject)
  return ruling.verdict === 'never' ? neverSaid(ruling) : null
}

/** Why a call that only its deadline released may not run: a person must say so, by what its tool and the policy are now. */
export async function notForNobody(profile: Profile, { tool, final_arguments }: HeldCall): Promise<CallError | null> {
  const ruling = await rulingOn(profile, tool, final_arguments as JsonObject)
  if (!tool.destructive && !takesPerson(ruling)) return null
  const because = tool.destructive ? `what ${tool.name} does cannot be taken back` : ruling.rule
  return forbidden(`nobody approved it before it was due, and somebody would have to (${because}).`)
}

/** To overrule the policy, or to look at a call that always asks, takes a person: no deadline approves it. */
export function takesPerson({ verdict, binding }: Ruling): boolean {
  return binding || verdict === 'never'
}

function approval(message: string, ruling: Ruling): BeforeToolExecute {
  const needs = {
    needsPerson: takesPerson(ruling),
    overridesNever: ruling.verdict === 'never',
    ...(ruling.risk && { risk: ruling.risk }),
  }
  return { suspend: { kind: 'approval', message, ...needs }, because: ruling.rule }
}

function ask({ pause_on }: Gating, { response_schema, ...question }: ToolQuestion): BeforeToolExecute {
  const suspend = { kind: 'question', ...question, responseSchema: response_schema } as const
  const { pause, because, otherwise } = ASKING[suspend.kind]
  return pause_on.includes(pause) ? { suspend, because } : { deny: forbidden(otherwise) }
}

const NO_QUESTIONS = 'nobody can be asked: this run does not pause for questions.'
const NO_APPROVAL = 'nobody can approve it: this run does not pause for approval.'

/** The pause that each kind of question needs, and the reasons for and against it. */
const ASKING: Record<
  NonNullable<ToolQuestion['kind']>,
  { readonly pause: PauseKind; readonly because: string; readonly otherwise: string }
> = {
  question: { pause: 'question', because: 'the agent asks', otherwise: NO_QUESTIONS },
  client_tool: { pause: 'question', because: 'the tool runs elsewhere', otherwise: NO_QUESTIONS },
  approval: { pause: 'approval', because: 'the agent asks for approval', otherwise: NO_APPROVAL },
}

export function neverSaid({ rule }: Ruling): CallError {
  return forbidden(neverWords(rule))
}

function forbidden(message: string): CallError {
  return { code: 'TOOL_CALL_FORBIDDEN', message }
}
