import { messageTokens, textTokens } from '../../core/context/count-tokens.ts'
import type { Room } from '../../core/context/plan-compaction.ts'
import type { Run, Thread } from '../../core/journal/thread.ts'
import { ratioFor } from '../../core/run/context/counted.ts'
import { USUAL_COMPACT_AT } from '../../core/settings/context-settings.ts'
import type { Model, ModelRequest, ToolSpec } from '../../ports/agent/model.ts'

interface Windowed {
  readonly thread: Pick<Thread, 'context'>
  readonly run: Pick<Run, 'profile'>
}

/**
 * The tokens that a model reads at most; `null` if nobody knows: then its conversations are sent whole. A provider knows
 * better than a table, and than a setting that is larger.
 */
export function windowFor({ thread, run }: Windowed, { id, window }: Pick<Model, 'id' | 'window'>): number | null {
  const set = run.profile.context?.window
  const told = thread.context.windows.get(id)
  if (set !== undefined) return Math.min(set, told ?? set)
  return told ?? window ?? null
}

type Beside = Pick<ModelRequest, 'system' | 'tools'>

/** The estimated tokens of a whole request. */
export function requestTokens({ messages, ...beside }: Beside & Pick<ModelRequest, 'messages'>): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), besideTokens(beside))
}

/** The estimated tokens of all that is sent beside the messages. */
export function besideTokens({ system, tools }: Beside): number {
  return textTokens(system ?? '') + toolsTokens(tools)
}

function toolsTokens(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
}

const TOOLS = new WeakMap<object, number>()

/** By the schema, which stays the same object from request to request. */
function toolTokens({ name, description, inputSchema }: ToolSpec): number {
  const known = TOOLS.get(inputSchema) ?? textTokens(JSON.stringify(inputSchema))
  TOOLS.set(inputSchema, known)
  return known + textTokens(name) + textTokens(description)
}

/** The answer needs room too, but never most of it. */
const LEAST_INPUT = 0.3

/** `max_output`: the tokens of the answer; many providers count them with the request. */
export function roomOf(
  { thread, run }: Windowed,
  model: Pick<Model, 'id'>,
  sizes: { readonly window: number; readonly overhead: number; readonly maxOutput: number },
): Room {
  const { compact_at = USUAL_COMPACT_AT, keep } = run.profile.context ?? {}
  const { window, overhead, maxOutput } = sizes
  return {
    limit: Math.floor(Math.min(window * compact_at, Math.max(window * LEAST_INPUT, window - maxOutput))),
    keep: keep ?? window / 4,
    overhead,
    ratio: ratioFor(thread.context.counted, model.id),
  }
}
