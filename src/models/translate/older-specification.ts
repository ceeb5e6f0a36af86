/** Lets a model of specification 2 or 3 of the AI SDK be asked as one of specification 4. */
import type {
  JSONValue,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4Usage,
  SharedV4FileData,
} from '@ai-sdk/provider'
import type { AiSdkModel } from '../../ports/agent/model.ts'

/** The part of a model that is used here. */
export type StreamingModel = Pick<LanguageModelV4, 'provider' | 'doStream'>

export function asNewestSpecification(model: AiSdkModel): StreamingModel {
  const { specificationVersion: version, provider } = model
  if (version === 'v4') return model as unknown as StreamingModel
  return {
    provider,
    async doStream(options) {
      const { stream } = await model.doStream(olderCall(options, version))
      return { stream: stream.pipeThrough(new TransformStream({ transform: newestPart })) }
    },
  }
}

/** These specifications know no `reasoning`: there it is one of the provider's options. */
function olderCall({ reasoning: _, prompt, ...options }: LanguageModelV4CallOptions, version: string): object {
  return { ...options, prompt: prompt.map(message => olderMessage(message, version)) }
}

function olderMessage(message: LanguageModelV4Message, version: string): object {
  if (message.role === 'system') return message
  return {
    ...message,
    content: message.content.map(part => {
      if (part.type === 'file') return { ...part, data: olderData(part.data) }
      if (part.type === 'tool-result') return { ...part, output: olderOutput(part.output, version) }
      return part
    }),
  }
}

function olderData(data: SharedV4FileData): unknown {
  if (data.type === 'data') return data.data
  if (data.type === 'url') return data.url
  return data.type === 'text' ? new TextEncoder().encode(data.text) : data.reference
}

function olderOutput(output: LanguageModelV4ToolResultOutput, version: string): object {
  if (output.type !== 'content') return output
  return { ...output, value: output.value.map(part => olderResult(part, version)) }
}

type ResultPart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

function olderResult(part: ResultPart, version: string): object {
  if (part.type !== 'file') return part
  const { data, mediaType } = part
  const kind = mediaType.startsWith('image') ? 'image' : 'file'
  if (data.type === 'url') {
    const url = data.url.href
    return version === 'v2' ? { type: 'text', text: url } : { type: `${kind}-url`, url, mediaType }
  }
  const bytes = olderData(data)
  const base64 = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : bytes
  return { type: version === 'v2' ? 'media' : `${kind}-data`, data: base64, mediaType }
}

type Controller = TransformStreamDefaultController<LanguageModelV4StreamPart>

/** By shape, not by version: early models of specification 3 still ended as those of 2 do. */
function newestPart(part: LanguageModelV4StreamPart, controller: Controller): void {
  if (part.type === 'finish')
    controller.enqueue({ ...part, finishReason: newestReason(part.finishReason), usage: newestUsage(part.usage) })
  else controller.enqueue(part.type === 'file' ? { ...part, data: newestData(part.data) } : part)
}

type FileData = Extract<LanguageModelV4StreamPart, { type: 'file' }>['data']

/** The bytes alone, in older ones. */
function newestData(data: FileData | string | Uint8Array): FileData {
  return typeof data === 'string' || data instanceof Uint8Array ? { type: 'data', data } : data
}

type OlderReason = LanguageModelV4FinishReason['unified'] | 'unknown'

function newestReason(reason: LanguageModelV4FinishReason | OlderReason): LanguageModelV4FinishReason {
  if (typeof reason !== 'string') return reason
  return { unified: reason === 'unknown' ? 'other' : reason, raw: reason }
}

interface OlderUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly totalTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
}

function newestUsage(usage: LanguageModelV4Usage | OlderUsage): LanguageModelV4Usage {
  if (isNewest(usage)) return usage
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = usage
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    raw: { total_tokens: totalTokens as JSONValue | undefined },
  }
}

function isNewest(usage: LanguageModelV4Usage | OlderUsage): usage is LanguageModelV4Usage {
  return typeof usage.inputTokens === 'object'
}
