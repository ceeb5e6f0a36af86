import { ToolError } from '../../core/errors.ts'
import type { Thread } from '../../core/journal/thread.ts'
import { READ_RESULT, resultText } from '../../core/repair/shorten-result.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { cutText } from '../../core/text/kept-text.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { Tool, Validated } from '../../ports/agent/tool.ts'

/** Characters that one call gives back. */
const PIECE = 8_000

const WITH = new WeakMap<LoadedAgent, LoadedAgent>()

/**
 * The agent, once a model is sent less than a result, with the tool that gives that back. A tool of its own with the
 * same name stays.
 */
export function withReadResult(
  agent: LoadedAgent,
  { thread, whole }: { readonly thread: Thread; readonly whole: () => Promise<Thread> },
): LoadedAgent {
  if (!isResultShortened(thread) || agent.tools.has(READ_RESULT)) return agent
  const made = WITH.get(agent) ?? { ...agent, tools: new Map([...agent.tools, [READ_RESULT, readResultTool(whole)]]) }
  WITH.set(agent, made)
  return made
}

function isResultShortened({ context, repairs }: Pick<Thread, 'context' | 'repairs'>): boolean {
  return context.compactions.length > 0 || repairs.some(({ what }) => what.type === 'results')
}

function readResultTool(thread: () => Promise<Thread>): Tool {
  return {
    name: READ_RESULT,
    description:
      'Gives back the result of an earlier call of a tool, of which you see only the beginning and the end, or nothing. ' +
      `One call gives ${PIECE} characters from an offset on.`,
    inputSchema: {
      type: 'object',
      properties: {
        call_id: { type: 'string', description: 'The id of the earlier call' },
        offset: { type: 'integer', minimum: 0, description: 'Characters to skip. Default: 0' },
      },
      required: ['call_id'],
      additionalProperties: false,
    },
    idempotent: true,
    destructive: false,
    // It gives nothing that this conversation did not have before.
    needsApproval: () => false,
    validate: checked,
    execute: async ({ call_id, offset = 0 }) => pieceOf(await thread(), String(call_id), Number(offset)),
  }
}

function checked(value: JsonObject): Validated {
  const { call_id, offset = 0 } = value
  if (typeof call_id !== 'string') return { ok: false, issues: 'call_id must be the id of an earlier call' }
  if (Number.isSafeInteger(offset) && Number(offset) >= 0) return { ok: true, value }
  return { ok: false, issues: 'offset must be a whole number from 0' }
}

function pieceOf({ messages }: Thread, callId: string, offset: number): JsonObject {
  const found = messages.findLast(message => message.role === 'tool' && message.tool_call_id === callId)
  if (found?.role !== 'tool') throw new ToolError('UNKNOWN_CALL', `there is no result of a call ${callId}.`)
  const text = resultText(found.content)
  const piece = cutText(text.slice(offset), PIECE)
  const next = offset + piece.length
  return { call_id: callId, text: piece, offset, length: text.length, next_offset: next < text.length ? next : null }
}
