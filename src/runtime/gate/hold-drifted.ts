import type { Decision } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { boundParts } from '../../core/hold-view/bound-parts.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { type Difference, differences } from '../../core/text/differences.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { comparableSchema } from '../definitions/bound-schema.ts'
import { neverSaid, POLICY_GATE } from '../policy/policy-gate.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import { deny, holdCall } from './hold-call.ts'
import { PREVIEW } from './preview-call.ts'

/** The reason for a second look. */
export const DRIFTED = 'it changed after it was approved'

/**
 * P9: the released call differs from the one that would run. A person looks at it as it is now, with the difference,
 * unless policy forbids it outright.
 */
export async function holdDrifted(
  session: RunSession,
  call: ToolCall,
  tool: Tool | null,
  others: readonly Difference[] = [],
): Promise<void> {
  const args = call.final_arguments
  const ruling = await rulingNow(session, tool, args)
  if (ruling?.verdict === 'never') return deny(session, call, neverSaid(ruling))
  const asked = call.hold_id === null ? null : await session.runtime.store.hold(call.hold_id)
  const changes = asked === null ? [] : driftSince(asked, asked.decision, { arguments: args, tool })
  const leads_to = ruling?.leads_to ?? null
  changes.push(...elsewhereSince(session, call, leads_to), ...others)
  await holdCall(session, {
    call,
    tool,
    lastSchema: asked?.tool_schema ?? null,
    // Those that the tool names now count.
    lastDeciders: tool?.deciders ? null : (asked?.deciders ?? null),
    request: {
      kind: 'approval',
      message: messageFor(call, { tool, changes }),
      context: { differences: changes.map(change => ({ ...change })) },
      needsPerson: ruling?.binding ?? false,
    },
    why: { because: tool ? DRIFTED : 'its tool is gone', plugin: POLICY_GATE, ...(leads_to && { leads_to }) },
  })
}

async function rulingNow(
  { run }: RunSession,
  tool: Tool | null,
  args: ToolCall['final_arguments'],
): Promise<RulingNow | null> {
  return tool && typeof args !== 'string' ? rulingOn(run.profile, tool, args) : null
}

function elsewhereSince({ run }: RunSession, { hold_id }: ToolCall, is: string | null): Difference[] {
  const was = run.holds.get(hold_id ?? '')?.leads_to
  return was === undefined || was === is ? [] : [{ path: 'leads_to', was, is }]
}

/** The difference between the approved call, as shown or edited, and the one that would run now. */
export function driftSince(
  asked: Hold,
  decision: Decision | null,
  now: { readonly arguments: ToolCall['final_arguments']; readonly tool: Tool | null },
): Difference[] {
  const { tool, tool_schema } = asked
  const before = boundParts({ tool, schema: tool_schema, arguments: decision?.arguments ?? asked.arguments })
  // A hold of an older version did not keep the schema.
  const isUnkept = tool_schema === null && now.tool?.name === tool
  const schema = isUnkept ? null : now.tool && comparableSchema(tool_schema ?? {}, now.tool)
  return differences(before, boundParts({ tool: now.tool?.name ?? null, schema, arguments: now.arguments }))
}

/** In words, if the tool's version or code is all that changed. */
export function changedPart(name: string, changes: readonly Difference[]): string | null {
  const [version, code] = ['tool_version', 'tool_code'].map(path => changes.find(change => change.path === path))
  if (changes.some(change => change !== version && change !== code)) return null
  if (version) return `the version of ${name} (was ${said(version.was)}, is ${said(version.is)})`
  return code ? `the code of ${name}, or of the module that it comes from,` : null
}

function said(version: Difference['was']): string {
  return version === null ? 'none' : JSON.stringify(version)
}

function messageFor(
  { name }: ToolCall,
  { tool, changes }: { readonly tool: Tool | null; readonly changes: readonly Difference[] },
): string {
  if (!tool) return `The tool ${name} is gone, so this call cannot run. Bring it back and approve, or reject the call.`
  if (changes.length > 0 && changes.every(({ path }) => path === PREVIEW))
    return `${name} would do something else by now than was shown when it was approved. May it run as it is now?`
  const part = changedPart(name, changes)
  if (part !== null) return `Since this call was asked about, ${part} changed. May it run as it is now?`
  return changes.length > 0
    ? `${name} or its arguments changed after they were approved. May it run as it is now?`
    : `The digest of what was approved is not that of this call of ${name}. May it run as it is now?`
}
