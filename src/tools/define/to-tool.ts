import { messageOf, ToolError } from '../../core/errors.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { codeDigest } from './code-digest.ts'
import { defineTool } from './define-tool.ts'
import { lastValue } from './last-value.ts'
import { modelMessages } from './model-messages.ts'
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
 * `{ type, value }` as the AI SDK writes it: text, json, content parts, or an error. P11: the tool has run, so what goes wrong
 * here makes its call no failed one. What it returned is withheld then: `toModelOutput` may leave out secrets.
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
