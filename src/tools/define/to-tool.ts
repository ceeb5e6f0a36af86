import { messageOf, ToolError } from '../../core/errors.ts'
import type { AssistantMessage, Message, ToolMessage } from '../../core/journal/message.ts'
import type { AnswerPart, Content, ContentPart, ProviderCallPart } from '../../core/message/part.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { lastValue } from './as-json.ts'
import { codeDigest } from './code-digest.ts'
import { defineTool } from './define-tool.ts'
import { invalid, outputSchema } from './tool-schema.ts'
import { isObject, isTool, OF_AI_SDK } from './tool-shape.ts'

// biome-ignore-start lint/suspicious/noExplicitAny: the AI SDK types these by its own generics
/** The part of an AI SDK `tool({...})` object that Holdpoint uses. */
export interface AiSdkTool {
  readonly type?: string | undefined
  readonly description?: string | ((options: any) => string) | undefined
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>) | undefined
  readonly execute?: ((input: any, options: any) => unknown) | undefined
  readonly toModelOutput?: ((options: any) => unknown) | undefined
}
// biome-ignore-end lint/suspicious/noExplicitAny: the end of the AI SDK's part

/**
 * An AI SDK tool as it is; its name is its key in the record of tools. A tool without `execute` is a client tool: its
 * calls wait until a program gives the result. `execute` gets the `toolCallId` and the `messages` that led to the call;
 * `needsApproval` gets the arguments alone, because policy is also asked when there is no call. @throws RefusedError `invalid_tool` for tools that only their provider
 * can run.
 */
export function toTool(name: string, tool: AiSdkTool): Tool {
  checkShape(name, tool)
  if (tool.type?.startsWith('provider')) {
    throw invalid(name, 'it is run by the model provider', 'Define a tool with an `execute` function.')
  }
  const { needsApproval: asked } = tool
  const made = defineTool({
    name,
    description: descriptionOf(tool),
    inputSchema: tool.inputSchema as Readonly<Record<string, unknown>>,
    ...(asked !== undefined && {
      needsApproval: typeof asked === 'function' ? (input: unknown) => asked(input, NO_CALL) : asked,
    }),
    execute: (input, context) => execute(tool, input, context),
  })
  const { code: _, ...declared } = made
  if (tool.execute)
    return {
      ...declared,
      code: codeDigest(
        () => String(tool.execute),
        () => String(tool.toModelOutput),
      ),
    }
  const response_schema = outputSchema(tool.outputSchema)
  const message = `The tool ${name} runs outside: give the result of this call.`
  return {
    ...declared,
    asks: args => ({ kind: 'client_tool', message, context: args, choices: null, response_schema }),
  }
}

function checkShape(name: unknown, tool: unknown): void {
  if (typeof name !== 'string') throw invalid('', 'toTool was given no name', OF_AI_SDK)
  if (isTool(tool)) throw invalid(name, 'it is a tool already', 'Use it without toTool.')
  if (!isObject(tool)) throw invalid(name, 'it is no tool of the AI SDK', OF_AI_SDK)
}

/** Policy is asked about arguments alone, also before there is a call: no call and no conversation is at hand. */
const NO_CALL = { toolCallId: '', messages: [], context: {} } as const

async function execute(tool: AiSdkTool, input: unknown, context: ToolContext): Promise<unknown> {
  if (!tool.execute) throw new ToolError('CLIENT_TOOL', 'This tool is run by the client, never here.')
  const { toolCallId } = context
  const result = await tool.execute(input, { ...context, messages: modelMessages(context.messages), context: {} })
  if (!tool.toModelOutput) return result
  const output = await lastValue(result)
  const told = await modelOutput(() => tool.toModelOutput?.({ toolCallId, input, output }))
  if (!told.isError) return told.value
  throw new ToolError('TOOL_FAILED', typeof told.value === 'string' ? told.value : JSON.stringify(told.value))
}

interface ModelOutput {
  readonly isError: boolean
  readonly value: unknown
}

/**
 * The AI SDK's form `{ type, value }`: text, json, content parts, or an error. P11: the tool has run, so a failure here
 * does not fail its call. Its result is withheld then: `toModelOutput` may leave out secrets.
 */
async function modelOutput(ask: () => unknown): Promise<ModelOutput> {
  try {
    const { type, value } = (await ask()) as { type: string; value?: unknown }
    return { isError: type.startsWith('error'), value }
  } catch (thrown) {
    const value = `It ran to its end; its result is withheld: toModelOutput failed on it (${messageOf(thrown)}).`
    return { isError: false, value }
  }
}

function descriptionOf({ description }: AiSdkTool): string {
  return typeof description === 'function' ? description({ context: {} }) : (description ?? '')
}

/** A `ModelMessage` of the AI SDK. Its parts are those of the AI SDK too. */
interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly Readonly<Record<string, unknown>>[]
}

type Part = Readonly<Record<string, unknown>>

/** A conversation as the tools of the AI SDK know it: the results of one answer's calls are one message. */
function modelMessages(messages: readonly Message[]): readonly ModelMessage[] {
  const made: { readonly role: ModelMessage['role']; content: string | readonly Part[] }[] = []
  for (const message of messages) {
    const last = made.at(-1)
    if (message.role !== 'tool') made.push({ role: message.role, content: contentOf(message) })
    else if (last?.role === 'tool') last.content = [...(last.content as readonly Part[]), resultPart(message)]
    else made.push({ role: 'tool', content: [resultPart(message)] })
  }
  return made
}

function contentOf(message: Exclude<Message, ToolMessage>): string | readonly Part[] {
  if (message.role === 'assistant') return answerContent(message)
  return typeof message.content === 'string' ? message.content : contentParts(message.content)
}

function contentParts(content: Exclude<Content, string>): readonly Part[] {
  return content.map((part): Part => (part.type === 'text' ? { type: 'text', text: part.text } : filePart(part)))
}

function filePart({ media_type, name, data, url }: Exclude<ContentPart, { readonly type: 'text' }>): Part {
  const source = url === undefined ? data : new URL(url)
  return { type: 'file', mediaType: media_type, data: source, ...(name !== undefined && { filename: name }) }
}

function answerContent({ content, tool_calls }: AssistantMessage): string | readonly Part[] {
  if (typeof content === 'string' && tool_calls.length === 0) return content
  const calls = new Map(tool_calls.map(call => [call.id, call]))
  const parts: readonly AnswerPart[] = typeof content === 'string' ? textThenCalls(content, [...calls.keys()]) : content
  return parts.flatMap(part => answerPart(part, calls))
}

function answerPart(part: AnswerPart, calls: ReadonlyMap<string, AssistantMessage['tool_calls'][number]>): Part[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text }]
    case 'image':
    case 'file':
      return [filePart(part)]
    case 'provider_call':
      return providerCall(part)
    case 'source':
      return []
    case 'tool_call': {
      const call = calls.get(part.id)
      return call ? [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments }] : []
    }
  }
}

/** As the AI SDK writes a call that the provider ran, and its result. */
function providerCall({ id, name, arguments: input, result, is_error }: ProviderCallPart): Part[] {
  const ofCall = { toolCallId: id, toolName: name }
  const output = { type: is_error ? 'error-json' : 'json', value: result }
  return [
    ...(input === null ? [] : [{ type: 'tool-call', ...ofCall, input, providerExecuted: true }]),
    ...(result === undefined ? [] : [{ type: 'tool-result', ...ofCall, output }]),
  ]
}

function textThenCalls(text: string, calls: readonly string[]): readonly AnswerPart[] {
  const places = calls.map((id): AnswerPart => ({ type: 'tool_call', id }))
  return text === '' ? places : [{ type: 'text', text }, ...places]
}

function resultPart({ tool_call_id, tool_name, content, parts, is_error }: ToolMessage): Part {
  return { type: 'tool-result', toolCallId: tool_call_id, toolName: tool_name, output: outputOf() }

  function outputOf(): Part {
    if (is_error) return { type: 'error-text', value: typeof content === 'string' ? content : JSON.stringify(content) }
    if (parts) return { type: 'content', value: contentParts(parts) }
    return typeof content === 'string' ? { type: 'text', value: content } : { type: 'json', value: content }
  }
}
