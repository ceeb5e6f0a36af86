/**
 * Keeps P1: a call leaves here allowed, held for a person, or finished without its tool; there is no fourth way. The
 * whole batch is gated before any of it runs, and its holds open in one commit.
 */
import { afterwards } from '../../async/afterwards.ts'
import { messageOf } from '../../core/errors.ts'
import { usualMessage } from '../../core/hold/hold.ts'
import { plain } from '../../core/plain/plain.ts'
import { notRuled } from '../../core/policy/not-ruled.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { Json } from '../../core/text/json.ts'
import type { BeforeToolExecute, Nothing } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { usableError, usableRequest } from '../definitions/usable.ts'
import { isApprovalRequired } from '../policy/approval-words.ts'
import { POLICY_GATE } from '../policy/policy-gate.ts'
import { placeOf } from '../policy/ruling.ts'
import { callForHook } from '../session/hook-view.ts'
import { type HookAnswer, runPhase } from '../session/phases.ts'
import { coverOf, type Demand, demandOn, type Unknowable } from './covering-approval.ts'
import { fitCall } from './fit-arguments.ts'
import type { Gated, GateSession } from './gate-session.ts'
import { deny, digestsOf, filledIn, nobodyAsked, pausesForCall } from './hold-call.ts'
import { holdInLimit } from './hold-in-limit.ts'
import { refuseCall } from './refuse-call.ts'

type Tools = ReadonlyMap<string, Tool>

/** The end of the run, if a plugin blocked a call, or the run may not pause for it. */
export async function gateCalls(
  session: GateSession,
  calls: readonly ToolCall[],
  tools: Tools,
): Promise<Termination | null> {
  for (const call of calls) {
    const blocked = await gateCall(session, call, tools)
    if (blocked) return blocked
  }
  return null
}

async function gateCall(session: GateSession, call: ToolCall, tools: Tools): Promise<Termination | null> {
  const tool = tools.get(call.name)
  if (!tool) return denied(session, call, unknownTool(call, tools))
  const fit = await fitCall(session.runtime.ids, tool, call)
  if (!fit.ok) return denied(session, call, { code: 'INVALID_ARGUMENTS', message: fit.issues })
  const rejected = rejectedBefore(session, fit.call, tool)
  return rejected
    ? refuseCall(session, { call: fit.call, tool, error: rejected, mayPass: true })
    : judge(session, { call: fit.call, tool })
}

function denied(session: GateSession, call: ToolCall, error: CallError): null {
  deny(session, call, error)
  return null
}

async function judge(session: GateSession, gated: Gated): Promise<Termination | null> {
  const { id: call_id } = gated.call
  const about = { call_id, ...filledIn(session.run, gated.call) }
  const demand = await demandOn(session, gated)
  const cover = await coverOf(session, gated, demand)
  const released = cover?.grant_id ? POLICY_ALONE : NONE
  const gating = orPerson(await askPlugins(session, { ...gated, demand }, released), gated, demand.unknowable)
  if (gating.act === 'pass') {
    session.stage('call.gated', { ...about, ...(cover ?? { rule: gating.because, grant_id: null, approval_id: null }) })
    return null
  }
  // An approval that covers this call covers no other, even if a plugin minds something else about this one.
  if (cover?.approval_id && isKind(gating.by.result, 'suspend')) session.stage('call.gated', { ...about, ...cover })
  return carryOut(session, gated, gating)
}

const NONE: ReadonlySet<string> = new Set()
const POLICY_ALONE: ReadonlySet<string> = new Set([POLICY_GATE])

interface Demanding extends Gated {
  readonly demand: Demand
}

/** The plugins' verdict on a call. */
export type Gating =
  | { readonly act: 'pass'; readonly because: string }
  | { readonly act: 'decided'; readonly by: HookAnswer<'beforeToolExecute'> }

/** Asks every plugin except those whose hold was released (docs/design/phases.md#which-of-several-plugins-wins). */
export async function askPlugins(
  session: GateSession,
  { call, tool, demand: { demanded } }: Demanding,
  released: ReadonlySet<string>,
): Promise<Gating> {
  const answers = await runPhase(session, {
    phase: 'beforeToolExecute',
    run: (hook, view) => afterwards(hook(view, callForHook(call, { tool, demanded })), usable),
    except: released,
    onFailure: (plugin, thrown) => ({ deny: hookFailed(plugin, thrown) }),
  })
  for (const rank of RANKS) {
    const by = answers.find(({ result }) => rank.some(word => word in result))
    if (by) return { act: 'decided', by }
  }
  return { act: 'pass', because: answers.find(({ result }) => result.because)?.result.because ?? 'no plugin objects' }
}

/** If the tool cannot say what its call needs, and nothing else stops the call, a person is asked (P1). */
function orPerson(gating: Gating, { tool }: Gated, unknowable: Unknowable | null): Gating {
  if (unknowable === null || gating.act === 'decided') return gating
  const suspend = { kind: 'approval', message: usualMessage(tool.name), needsPerson: true } as const
  return { act: 'decided', by: { plugin: POLICY_GATE, result: { suspend, because: notRuled(unknowable.because) } } }
}

/** @throws if it cannot be carried out: then the hook has failed. */
function usable(result: BeforeToolExecute | Nothing): BeforeToolExecute | Nothing {
  if (typeof result !== 'object' || result === null) return result
  if (isKind(result, 'block') && typeof result.block !== 'string')
    throw new TypeError('its block must be a text that says why')
  if (isKind(result, 'suspend')) return { ...result, suspend: usableRequest(result.suspend) }
  if (isKind(result, 'deny')) return { ...result, deny: usableError(result.deny) }
  return isKind(result, 'setResult') ? { ...result, setResult: plain(result.setResult) } : result
}

const RANKS: readonly (readonly string[])[] = [['block'], ['suspend'], ['setResult', 'deny']]

/** Carries out a plugin's word in place of running the call. Returns the run's end, if that is what follows. */
export async function carryOut(
  session: GateSession,
  { call, tool }: Gated,
  { by }: Decided,
): Promise<Termination | null> {
  const { plugin, result } = by
  if (isKind(result, 'block')) return block(session, call, result.block)
  if (isKind(result, 'deny'))
    return refuseCall(session, { call, tool, error: result.deny, mayPass: isApprovalRequired(result.deny) })
  if (isKind(result, 'setResult')) giveResult(session, call, result.setResult)
  if (!isKind(result, 'suspend')) return null
  const because = result.because ?? `${plugin}: ${result.suspend.message}`
  const { reaches, ...place } = await placeOf(session.run.profile, tool, call.final_arguments)
  const suspending = { call, tool, request: result.suspend, reaches, why: { because, plugin, ...place } }
  return pausesForCall(session, suspending)
    ? holdInLimit(session, suspending)
    : refuseCall(session, { call, tool, error: nobodyAsked(suspending), mayPass: false })
}

type Decided = Extract<Gating, { act: 'decided' }>

function isKind<K extends string>(
  result: BeforeToolExecute,
  key: K,
): result is Extract<BeforeToolExecute, { readonly [P in K]: unknown }> {
  return key in result
}

function block(session: GateSession, call: ToolCall, reason: string): Termination {
  deny(session, call, { code: 'TOOL_CALL_BLOCKED', message: reason })
  return { type: 'blocked', reason }
}

function giveResult(session: GateSession, { id }: ToolCall, result: Json): void {
  session.stage('call.finished', { call_id: id, status: 'succeeded', output: result, error: null })
}

function hookFailed(plugin: string, thrown: unknown): CallError {
  return {
    code: 'TOOL_CALL_FORBIDDEN',
    message: `the plugin ${plugin} failed while it was asked (${messageOf(thrown)}), so this call may not run.`,
  }
}

/** Why this call is not asked about again, or `null`. */
function rejectedBefore({ run, runtime }: GateSession, call: ToolCall, tool: Tool): CallError | null {
  const { rejected } = run
  if (rejected.size === 0) return null
  const digest = digestsOf(runtime.ids, { call, tool }).find(each => rejected.has(each ?? ''))
  if (!digest) return null
  const reason = rejected.get(digest)
  const message = `this same call was rejected before in this run${reason ? ` (${reason})` : ''}; nobody was asked again.`
  return { code: 'TOOL_CALL_REJECTED', message }
}

function unknownTool({ name }: ToolCall, tools: Tools): CallError {
  const available = [...tools.keys()].join(', ') || 'none'
  return { code: 'UNKNOWN_TOOL', message: `there is no tool ${JSON.stringify(name)} here. Available: ${available}.` }
}
