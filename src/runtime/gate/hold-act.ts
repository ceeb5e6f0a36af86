/** The act of a held call in words, its task, and the care that a decision wants, as they are when the hold opens. */
import { isPromised } from '../../async/afterwards.ts'
import type { Act, AskedTask } from '../../core/hold/act.ts'
import { type HoldKind, isOverride } from '../../core/hold/hold.ts'
import { titleLine } from '../../core/hold-view/blocks/act-words.ts'
import { shortLine } from '../../core/hold-view/hold-row.ts'
import type { Run } from '../../core/journal/thread.ts'
import { contentText } from '../../core/message/part-words.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { isStop } from '../foreign/reach-foreign.ts'

interface ActAsked {
  readonly kind: HoldKind
  readonly call: Pick<ToolCall, 'final_arguments'>
  readonly tool: Tool | null
  /** The tool that asks, or the rule of policy, wants more care. */
  readonly risk: 'ordinary' | 'high' | undefined
  readonly overrides: Parameters<typeof isOverride>[0]
  readonly reaches: readonly string[]
}

export function actOf({
  kind,
  call,
  tool,
  risk,
  overrides,
  reaches,
}: ActAsked): Pick<Act, 'title' | 'risk' | 'reaches'> {
  const title = titleBy(tool, call)
  const isHigh = risk === 'high' || reaches.length > 0 || riskBy(tool, call) === 'high'
  const grade = kind === 'in_doubt' || isOverride(overrides) ? 'override' : isHigh ? 'high' : null
  return {
    ...(title !== null && { title }),
    ...(grade !== null && { risk: grade }),
    ...(reaches.length > 0 && { reaches }),
  }
}

/** A title that fails tells nothing: people read the arguments in any case. */
function titleBy(tool: Tool | null, { final_arguments: args }: ActAsked['call']): string | null {
  if (!tool?.title || typeof args === 'string') return null
  try {
    const title: unknown = tool.title(copyArguments(args))
    return typeof title === 'string' && title.trim() !== '' ? titleLine(title) : null
  } catch (thrown) {
    if (isStop(thrown)) throw thrown
    return null
  }
}

/** Doubt asks for more care. */
function riskBy(tool: Tool | null, { final_arguments: args }: ActAsked['call']): 'ordinary' | 'high' {
  if (!tool?.risk || typeof args === 'string') return 'ordinary'
  try {
    const risk: unknown = tool.risk(copyArguments(args))
    if (isPromised(risk)) risk.then(undefined, () => {})
    return risk === 'ordinary' ? 'ordinary' : 'high'
  } catch (thrown) {
    if (isStop(thrown)) throw thrown
    return 'high'
  }
}

/** Empty if nobody gave the run a message of its own. */
export function taskOf(
  { where = nowhere }: Pick<Runtime, 'where'>,
  { task, profile }: Pick<Run, 'task' | 'profile'>,
): { readonly task?: AskedTask } {
  if (task === null) return {}
  const { content, author: by } = task
  return { task: { text: shortLine(contentText(content)).line, by, ...where(profile.workdir) } }
}

function nowhere(directory: string): ReturnType<NonNullable<Runtime['where']>> {
  return { directory, branch: null, host: '' }
}
