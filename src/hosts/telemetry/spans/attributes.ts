/** The attributes of spans, under the names of the GenAI conventions of OpenTelemetry where there are any. */
import type { EventData, JournalledCall } from '../../../core/journal/event.ts'
import type { Termination } from '../../../core/run/termination.ts'
import { modelLabel } from '../model-label.ts'
import type { SpanAttribute } from './span.ts'

type Attributes = Readonly<Record<string, SpanAttribute>>

interface ModelName {
  readonly provider: string
  readonly name: string
}

/** The conventions name some providers otherwise than we do. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' }

/** `provider/model`, or a name alone. */
export function modelOf(id: string): ModelName {
  const label = modelLabel(id)
  const [, provider = label, name = label] = /^([^/]+)\/(.+)$/.exec(label) ?? []
  return { provider: PROVIDERS[provider] ?? provider, name }
}

interface Agent {
  readonly agent: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
}

export function agentAttributes({ agent, model, ...usage }: Agent, termination: Termination): Attributes {
  const { provider, name } = modelOf(model)
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    'gen_ai.agent.name': agent,
    'gen_ai.request.model': name,
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'holdpoint.run.termination': termination.type,
  }
}

export function chatAttributes(answer: EventData['model.answered'], withContent: boolean): Attributes {
  const { model, usage, finish_reason, text } = answer
  const { provider, name } = modelOf(model)
  const { input_tokens, output_tokens, cached_input_tokens } = usage
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': name,
    'gen_ai.response.finish_reasons': [finish_reason],
    'gen_ai.usage.input_tokens': input_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    ...(cached_input_tokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cached_input_tokens }),
    ...(withContent && { 'gen_ai.output.messages': outputMessages(text, answer) }),
  }
}

function outputMessages(text: string, { calls, finish_reason }: EventData['model.answered']): string {
  const parts = text === '' ? [] : [{ type: 'text', content: text }]
  const asked = calls.map(({ id, name, arguments: given }) => ({ type: 'tool_call', id, name, arguments: given }))
  return JSON.stringify([{ role: 'assistant', parts: [...parts, ...asked], finish_reason }])
}

export function toolAttributes({ id, name }: JournalledCall): Attributes {
  return { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id }
}

type FinishedCall = Pick<EventData['call.finished'], 'status' | 'output'> & { readonly call: JournalledCall }

export function callAttributes({ call, status, output }: FinishedCall, withContent: boolean): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.type': 'function',
    'holdpoint.call.status': status,
    ...(withContent && {
      'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
      'gen_ai.tool.call.result': JSON.stringify(output),
    }),
  }
}

interface Wait {
  readonly hold_id: string
  readonly kind: string
  readonly ended: string
  readonly verdict: string | null
}

export function waitAttributes({ hold_id, kind, ended, verdict }: Wait): Attributes {
  return {
    'holdpoint.hold.id': hold_id,
    'holdpoint.hold.kind': kind,
    'holdpoint.hold.ended_by': ended,
    ...(verdict !== null && { 'holdpoint.verdict': verdict }),
  }
}
