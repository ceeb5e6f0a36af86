import { type Decision, isForOthers } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { boundParts } from '../../core/hold-view/bound-parts.ts'
import type { Run } from '../../core/journal/thread.ts'
import type { Deciders } from '../../core/people/deciders.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { type Difference, differences } from '../../core/text/differences.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { comparableSchema } from '../definitions/bound-schema.ts'
import { neverSaid, POLICY_GATE } from '../policy/policy-gate.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'
import type { GateSession } from './gate-session.ts'
import { deny, holdCall } from './hold-call.ts'
import { PREVIEW } from './preview-call.ts'

const DRIFTED = 'it changed after it was approved'
const EDITED_FURTHER = 'its edit reaches further than what was asked'

/** True for the reasons for a second look. */
export function isSecondLook(because: string | undefined): boolean {
  return because === DRIFTED || because === EDITED_FURTHER
}

/**
 * P9: the released call differs from the one that would run. A person looks at it as it is now, with the difference,
 * unless policy forbids it outright.
 */
export async function holdDrifted(
  session: GateSession,
  call: ToolCall,
  tool: Tool | null,
  others: readonly Difference[] = [],
): Promise<void> {
  const args = call.final_arguments
  const ruling = tool && typeof args !== 'string' ? await rulingOn(session.run.profile, tool, args) : null
  if (ruling?.verdict === 'never') return deny(session, call, neverSaid(ruling))
  const care = ruling ?? NO_RULING
  const asked = await holdBefore(session, call.hold_id)
  const edits = furtherEdits(session.run, call)
  const editedBy = editorIn(asked)
  const changes = asked === null ? [] : driftSince(asked, asked.decision, { arguments: args, tool })
  const { leads_to } = care
  changes.push(...elsewhereSince(session.run, call, leads_to), ...others)
  await holdCall(session, {
    call,
    tool,
    lastSchema: asked?.tool_schema ?? null,
    // Deciders that the tool names now replace the earlier ones.
    lastDeciders: tool?.deciders ? null : await decidersBefore(session, edits, asked),
    editors: edits.map(({ by }) => by),
    request: {
      kind: 'approval',
      message: messageFor(call, { tool, changes, editedBy }),
      context: { differences: changes.map(change => ({ ...change })) },
      needsPerson: editedBy !== null || care.binding,
      ...(care.risk && { risk: care.risk }),
    },
    reaches: care.reaches,
    why: { because: because(tool, editedBy), plugin: POLICY_GATE, ...(leads_to && { leads_to }) },
  })
}

/** Nothing is known of what a tool that is gone would do. */
const NO_RULING: Pick<RulingNow, 'binding' | 'risk' | 'leads_to' | 'reaches'> = {
  binding: false,
  leads_to: null,
  reaches: [],
}

async function holdBefore({ runtime }: GateSession, id: string | null): Promise<Hold | null> {
  return id === null ? null : runtime.store.hold(id)
}

/** The editor, if the call is held again because of an edit beyond what was asked. */
function editorIn(asked: Hold | null): string | null {
  const decision = asked?.decision ?? null
  return decision && isForOthers(decision) ? decision.decided_by : null
}

interface FurtherEdit {
  /** The id of the hold. */
  readonly id: string
  readonly by: string
}

/** Edits of the call to more than was asked, without the right to. They release nothing. */
function furtherEdits({ holds }: Run, call: ToolCall): FurtherEdit[] {
  return [...holds].flatMap(([id, { call_id, decision }]) =>
    call_id === call.id && decision && isForOthers(decision) ? [{ id, by: decision.decided_by }] : [],
  )
}

/** The first hold that was edited so, has them as they were set. */
async function decidersBefore(
  { runtime }: GateSession,
  [first]: readonly FurtherEdit[],
  asked: Hold | null,
): Promise<Deciders | null> {
  const hold = first ? await runtime.store.hold(first.id) : asked
  return hold?.deciders ?? null
}

function because(tool: Tool | null, editedBy: string | null): string {
  if (tool === null) return 'its tool is gone'
  return editedBy === null ? DRIFTED : EDITED_FURTHER
}

function elsewhereSince({ holds }: Run, { hold_id }: ToolCall, is: string | null): Difference[] {
  const was = holds.get(hold_id ?? '')?.leads_to
  return was === undefined || was === is ? [] : [{ path: 'leads_to', was, is }]
}

/** The difference between the approved call, as shown or edited, and the one that would run now. */
export function driftSince(
  asked: Hold,
  decision: Decision | null,
  now: { readonly arguments: ToolCall['final_arguments']; readonly tool: Tool | null },
): Difference[] {
  const { tool, tool_schema } = asked
  const approved = decision && !isForOthers(decision) ? decision.arguments : null
  const before = boundParts({ tool, schema: tool_schema, arguments: approved ?? asked.arguments })
  // A hold of an older version did not keep the schema.
  const isUnkept = tool_schema === null && now.tool?.name === tool
  const schema = isUnkept ? null : now.tool && comparableSchema(tool_schema ?? {}, now.tool)
  return differences(before, boundParts({ tool: now.tool?.name ?? null, schema, arguments: now.arguments }))
}

/** In words, if the tool's version or code is all that changed. */
export function changedPart(name: string, changes: readonly Difference[]): string | null {
  const [version, code] = ['tool_version', 'tool_code'].map(path => changes.find(change => change.path === path))
  if (changes.some(change => change !== version && change !== code)) return null
  if (version) return `the version of ${name} (was ${versionText(version.was)}, is ${versionText(version.is)})`
  return code ? `the code of ${name}, or of the module that it comes from,` : null
}

function versionText(version: Difference['was']): string {
  return version === null ? 'none' : JSON.stringify(version)
}

interface DriftMessage {
  readonly tool: Tool | null
  readonly changes: readonly Difference[]
  readonly editedBy: string | null
}

function messageFor({ name }: ToolCall, { tool, changes, editedBy }: DriftMessage): string {
  if (tool && editedBy !== null)
    return `${editedBy} changed this call of ${name} to more than was asked. May it run so?`
  if (!tool) return `The tool ${name} is gone, so this call cannot run. Bring it back and approve, or reject the call.`
  if (changes.length > 0 && changes.every(({ path }) => path === PREVIEW))
    return `${name} would do something else by now than was shown when it was approved. May it run as it is now?`
  const part = changedPart(name, changes)
  if (part !== null) return `Since this call was asked about, ${part} changed. May it run as it is now?`
  return changes.length > 0
    ? `${name} or its arguments changed after they were approved. May it run as it is now?`
    : `The digest of what was approved is not that of this call of ${name}. May it run as it is now?`
}
