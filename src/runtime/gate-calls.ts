/**
 * Keeps P1: a call leaves here allowed by a rule, held for a person, or finished without its tool; there is no fourth
 * way. The whole batch is gated before any of it runs, and its holds open in one commit.
 */
import { messageOf } from '../core/errors.ts'
import type { HoldKind, NewHold } from '../core/hold.ts'
import type { JsonObject } from '../core/json.ts'
import { type CallFacts, NO_FACTS, type Policy, type Ruling, rule } from '../core/policy.ts'
import type { ToolCall } from '../core/tool-call.ts'
import type { Tool, ToolQuestion } from '../ports/tool.ts'
import { callDigest } from './call-digest.ts'
import type { RunSession } from './run-session.ts'

export async function gateCalls(session: RunSession, calls: readonly ToolCall[]): Promise<void> {
  const { tools } = await session.agent()
  for (const call of calls) await gateCall(session, call, tools)
}

async function gateCall(session: RunSession, call: ToolCall, tools: ReadonlyMap<string, Tool>): Promise<void> {
  const tool = tools.get(call.name)
  const args = call.arguments
  if (!tool) return deny(session, call, 'UNKNOWN_TOOL', unknownTool(call.name, tools))
  if (typeof args === 'string') return deny(session, call, 'INVALID_ARGUMENTS', 'the arguments are not a JSON object.')
  const validated = await tool.validate(args)
  if (!validated.ok) return deny(session, call, 'INVALID_ARGUMENTS', validated.issues)

  const gated: Gated = { call, tool, args }
  const reason = rejectedBefore(session, gated)
  if (reason !== null) return deny(session, call, 'TOOL_CALL_REJECTED', reason)
  applyRuling(session, gated, await rulingOn(session.run.profile.policy, tool, args, session.run.profile.workdir))
}

function applyRuling(session: RunSession, gated: Gated, ruling: Ruling): void {
  const { call, tool, args } = gated
  if (tool.asks && ruling.verdict !== 'never') question(session, gated, tool.asks(args))
  else if (ruling.verdict === 'never') forbid(session, gated, ruling)
  else if (ruling.verdict === 'auto') session.stage('call.gated', { call_id: call.id, rule: ruling.rule })
  else askOrPass(session, gated, ruling)
}

/** P9: what was approved is not what would run. Somebody looks at it as it is now, unless policy forbids it outright. */
export async function gateChanged(session: RunSession, gated: Gated): Promise<void> {
  const { policy, workdir } = session.run.profile
  const ruling = await rulingOn(policy, gated.tool, gated.args, workdir)
  if (ruling.verdict === 'never') return forbid(session, gated, ruling)
  const message = `${gated.call.name} or its arguments changed after they were approved. May it run as it is now?`
  const asked = { message, context: null, choices: null, response_schema: null }
  hold(session, gated, { kind: 'approval', because: 'it changed after it was approved', asked })
}

interface Gated {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: JsonObject
}

/** What policy says of this call, with all that the tool knows of its arguments. Doubt asks (fails closed). */
export async function rulingOn(policy: Policy, tool: Tool, args: JsonObject, workdir: string): Promise<Ruling> {
  const [facts, needs_approval] = await Promise.all([factsOf(tool, args, workdir), ownWord(tool, args)])
  return rule(policy, { tool: tool.name, arguments: args, facts, needs_approval })
}

async function factsOf(tool: Tool, args: JsonObject, workdir: string): Promise<CallFacts> {
  try {
    return (await tool.inspect?.(args, workdir)) ?? NO_FACTS
  } catch (thrown) {
    return { ...NO_FACTS, unclear: `the arguments could not be inspected: ${messageOf(thrown)}` }
  }
}

async function ownWord(tool: Tool, args: JsonObject): Promise<boolean | null> {
  try {
    return await tool.needsApproval(args)
  } catch {
    return true
  }
}

function askOrPass(session: RunSession, gated: Gated, ruling: Ruling): void {
  const { call } = gated
  if (session.pausesFor('approval')) hold(session, gated, { kind: 'approval', because: ruling.rule })
  else if (ruling.binding)
    deny(session, call, 'TOOL_CALL_FORBIDDEN', `${ruling.rule}, and this run does not pause for approval.`)
  else session.stage('call.gated', { call_id: call.id, rule: 'this run does not pause for approval' })
}

/** `never` is refused at once, or put to a person who may override it. */
function forbid(session: RunSession, gated: Gated, ruling: Ruling): void {
  // To approve a question would answer nothing.
  const mayAsk = !gated.tool.asks && session.pausesFor('approval') && session.run.profile.policy.on_never === 'pause'
  if (mayAsk) hold(session, gated, { kind: 'approval', because: ruling.rule })
  else deny(session, gated.call, 'TOOL_CALL_FORBIDDEN', `policy says never (${ruling.rule}).`)
}

function question(session: RunSession, gated: Gated, asked: ToolQuestion): void {
  if (session.pausesFor('question')) hold(session, gated, { kind: 'question', because: 'the agent asks', asked })
  else deny(session, gated.call, 'TOOL_CALL_FORBIDDEN', 'nobody can be asked: this run does not pause for questions.')
}

function hold(
  session: RunSession,
  gated: Gated,
  about: { kind: HoldKind; because: string; asked?: ToolQuestion },
): void {
  const asked = about.asked ?? {
    message: `May ${gated.tool.name} run?`,
    context: null,
    choices: null,
    response_schema: null,
  }
  session.stageHold(
    holdOf(session, gated.call, { kind: about.kind, digest: digestOf(session, gated), asked }),
    about.because,
  )
}

function digestOf(session: RunSession, { tool, args }: Gated): string {
  return callDigest(session.runtime.ids, { name: tool.name, arguments: args, schema: tool.inputSchema })
}

export function holdOf(
  session: RunSession,
  call: ToolCall,
  { kind, digest, asked }: { kind: HoldKind; digest: string | null; asked: ToolQuestion },
): NewHold {
  return {
    id: session.runtime.ids.next('hold'),
    kind,
    run_id: session.run.id,
    call_id: call.id,
    tool: call.name,
    arguments: call.final_arguments,
    digest,
    ...asked,
    due_at: null,
    on_due: null,
  }
}

function deny(session: RunSession, call: ToolCall, code: string, message: string): void {
  session.stage('call.finished', { call_id: call.id, status: 'failed', output: null, error: { code, message } })
}

/** Why nobody is asked about this call again, or `null`. */
function rejectedBefore(session: RunSession, gated: Gated): string | null {
  const { rejected } = session.run
  const digest = rejected.size > 0 ? digestOf(session, gated) : ''
  if (!rejected.has(digest)) return null
  const reason = rejected.get(digest)
  return `this same call was rejected before in this run${reason ? ` (${reason})` : ''}; nobody was asked again.`
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): string {
  return `there is no tool ${JSON.stringify(name)} here. Available: ${[...tools.keys()].join(', ') || 'none'}.`
}
