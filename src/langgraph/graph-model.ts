/**
 * The model of an agent whose work is a graph. It chooses the next step from the conversation alone: run the graph, ask
 * people about its interrupts, give it their decisions, give its answer. After a kill, the same steps follow again.
 */
import { ModelError } from '../core/errors.ts'
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../core/journal/message.ts'
import { resultIn } from '../core/journal/tool-message.ts'
import type { Json } from '../core/text/json.ts'
import type { Model, ModelAnswer } from '../ports/agent/model.ts'
import { type Ask, answerIn, asksOf, resumeValues } from './asks.ts'
import { asGraphResult, type GraphResult } from './interrupted.ts'

export const RUN_GRAPH = 'run_graph'

/** Makes the graph's input from the messages since the last one. */
export type ToInput = (messages: readonly UserMessage[]) => Json

export function graphModel(id: string, toInput: ToInput): Model {
  return {
    id,
    answer: async ({ messages, signal }) => {
      signal.throwIfAborted()
      return nextOf(messages, toInput)
    },
  }
}

function nextOf(messages: readonly Message[], toInput: ToInput): ModelAnswer {
  const unheard = unheardIn(messages)
  const withInput = (text = ''): ModelAnswer => calling([runGraph({ input: toInput(unheard) })], text)
  const { asked, results } = lastAnswer(messages)
  if (!asked || results.length === 0) return withInput()
  if (asked.tool_calls[0]?.name !== RUN_GRAPH) {
    const resume = resumeValues(waitingBefore(messages, asked), results.map(answerIn))
    if (resume) return calling([runGraph({ resume })])
    if (unheard.length > 0) return withInput()
    throw new ModelError('graph_unanswered', `The graph was not resumed: ${errorsIn(results)}`, {
      retryable: false,
      hint: 'Send a message: the graph begins anew with it.',
    })
  }
  const result = resultOf(results[0])
  if (result?.status === 'waiting') return calling(asksOf(result.interrupts))
  if (unheard.length > 0) return withInput(result?.answer)
  if (result) return { text: result.answer, calls: [], usage: NO_USAGE, finish_reason: 'done' }
  throw new ModelError('graph_failed', `The graph did not go on: ${errorsIn(results)}`, { retryable: false })
}

interface LastAnswer {
  readonly asked: AssistantMessage | undefined
  readonly results: readonly ToolMessage[]
}

function lastAnswer(messages: readonly Message[]): LastAnswer {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const results = messages.slice(at + 1).filter(message => message.role === 'tool')
  return { asked: messages[at] as AssistantMessage | undefined, results }
}

/** Messages of people that the graph was not given yet. */
function unheardIn(messages: readonly Message[]): readonly UserMessage[] {
  const at = messages.findLastIndex(message => message.role === 'assistant' && isGivenInput(message))
  return messages.slice(at + 1).filter(message => message.role === 'user')
}

function isGivenInput({ tool_calls }: AssistantMessage): boolean {
  return tool_calls.some(
    ({ name, arguments: args }) => name === RUN_GRAPH && typeof args === 'object' && 'input' in args,
  )
}

/** The interrupts that these calls ask about: those of the graph's last result. */
function waitingBefore(messages: readonly Message[], asked: AssistantMessage) {
  const before = messages.slice(0, messages.indexOf(asked))
  const last = before.findLast(message => message.role === 'tool' && message.tool_name === RUN_GRAPH)
  const result = resultOf(last as ToolMessage | undefined)
  return result?.status === 'waiting' ? result.interrupts : []
}

function resultOf(message: ToolMessage | undefined): GraphResult | null {
  return message && !message.is_error ? asGraphResult(resultIn(message)) : null
}

function errorsIn(results: readonly ToolMessage[]): string {
  return results
    .filter(({ is_error }) => is_error)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join(' ')
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

function runGraph(args: Ask['args']): Ask {
  return { id: 'graph', name: RUN_GRAPH, args }
}

function calling(asks: readonly Ask[], text = ''): ModelAnswer {
  const calls = asks.map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args), metadata: null }))
  return { text, calls, usage: NO_USAGE, finish_reason: 'tool-calls' }
}
