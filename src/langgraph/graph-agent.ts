import { refused } from '../core/errors.ts'
import type { UserMessage } from '../core/journal/message.ts'
import type { Json, JsonObject } from '../core/text/json.ts'
import type { Model } from '../ports/agent/model.ts'
import type { Tool } from '../ports/agent/tool.ts'
import { REVIEW_ACTION } from './asks.ts'
import { graphModel, type ToInput } from './graph-model.ts'
import { type CompileGraph, runGraphTool } from './run-graph.ts'

/** A graph as the work of an agent. */
export interface GraphAgentOptions {
  /** Compiles the graph: `checkpointer => graph.compile({ checkpointer })`. */
  readonly compile: CompileGraph
  /** Makes the input of the graph from the messages. Default: `{ messages: [{ role: 'user', content: text }] }`. */
  readonly toInput?: ToInput
  /** The answer, from the state at the end. Default: the text of the last of its `messages`, or the state as JSON. */
  readonly toAnswer?: (values: unknown) => string
  /** True if all nodes may run twice: after a crash the graph continues by itself. Default: a person is asked. */
  readonly idempotent?: boolean
  /** The version of the graph's code: see `version` of a tool. */
  readonly version?: string
}

/** The model and the tools of an agent whose work is a graph. */
export interface GraphAgent {
  readonly model: Model
  readonly tools: readonly (Tool | string)[]
}

/**
 * An agent whose work is a LangGraph graph: `defineAgent({ name: 'clerk', ...graphAgent({ compile }) })`. Each
 * `interrupt(value)` is a hold, and the graph is resumed once with what was decided.
 */
export function graphAgent({ compile, toInput, toAnswer, idempotent = false, version }: GraphAgentOptions): GraphAgent {
  if (typeof compile !== 'function')
    throw refused(
      'invalid_agent',
      'graphAgent was given no function that compiles a graph.',
      'Write `graphAgent({ compile: checkpointer => graph.compile({ checkpointer }) })`.',
    )
  return {
    model: graphModel('langgraph', toInput ?? asMessages),
    tools: [
      runGraphTool({ compile, toAnswer: toAnswer ?? lastText, idempotent, version }),
      reviewActionTool(),
      'ask_human',
    ],
  }
}

function asMessages(messages: readonly UserMessage[]): Json {
  return { messages: messages.map(({ content }) => ({ role: 'user', content: textOf(content) })) }
}

function textOf(content: UserMessage['content']): string {
  if (typeof content === 'string') return content
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (texts.length === content.length) return texts.join('\n')
  throw refused(
    'invalid_message',
    'This graph takes text, and the message has images or files.',
    'Give `toInput` to graphAgent, and make the input of the graph from the parts.',
  )
}

function lastText(values: unknown): string {
  const { messages } = (values ?? {}) as { readonly messages?: unknown }
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const { text, content } = (last ?? {}) as { readonly text?: unknown; readonly content?: unknown }
  const found = [text, content].find(each => typeof each === 'string')
  return typeof found === 'string' ? found : JSON.stringify(values ?? null)
}

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    action: { type: 'string', minLength: 1, description: 'What the graph is about to do.' },
    args: { description: 'With what.' },
    description: { type: 'string' },
  },
  required: ['action', 'args'],
  additionalProperties: false,
}

/** An action of a graph that people approve, change or reject. It does nothing but say what they approved. */
function reviewActionTool(): Tool {
  return {
    name: REVIEW_ACTION,
    description: 'Asks a person about an action of the graph before it is taken.',
    inputSchema: INPUT_SCHEMA,
    version: '1',
    idempotent: true,
    destructive: false,
    needsApproval: () => true,
    validate: args =>
      typeof args['action'] === 'string' && args['action'] !== '' && args['args'] !== undefined
        ? { ok: true, value: args }
        : { ok: false, issues: 'an action needs its name as `action`, and its arguments as `args`' },
    execute: async ({ action = null, args = null }) => ({ action, args }),
  }
}
