import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { ModelError } from '../core/errors.ts'
import type { Usage } from '../core/run/usage/usage.ts'
import type { AiSdkModel, Model, ModelAnswer, ModelRequest, RequestedCall } from '../ports/agent/model.ts'
import { type Attempt, startAttempt } from './attempt.ts'
import { type Checked, lastCheck } from './faults/last-check.ts'
import { failureOf, type ModelAccess, modelFailure } from './model-failure.ts'
import { nameOfModel } from './model-shape.ts'
import { accessTo, type Environment } from './provider-access.ts'
import { plainMetadata } from './provider-calls/beside-parts.ts'
import { type FittedTools, fitTools } from './provider-rules/fit-tools.ts'
import { PROVIDER_RULES, type ProviderRules, rulesOf } from './provider-rules/provider-rules.ts'
import type { Provider } from './providers.ts'
import { refusalOf } from './refusals/read-refusal.ts'
import { sentPlaces } from './refusals/sent-places.ts'
import { AnswerOrder } from './translate/answer-order.ts'
import { isCached, withCacheBreakpoints } from './translate/cache-breakpoints.ts'
import { fitPart, sideAmong } from './translate/fit-part.ts'
import { asNewestSpecification, type StreamingModel } from './translate/older-specification.ts'
import { statelessOptions } from './translate/stateless-options.ts'
import { tellPieces } from './translate/tell-pieces.ts'
import { toCall } from './translate/to-call.ts'
import type { Origins } from './translate/to-prompt.ts'
import { partWarnings } from './translate/warning-words.ts'
import { windowOf } from './windows.ts'

interface ProviderModelOptions {
  readonly env: Environment
  /** How long nothing may arrive before an attempt is given up. */
  readonly timeoutMs: number
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>

/** The needs of one answer. */
interface Asking {
  readonly request: ModelRequest
  readonly asked: ModelAccess
  readonly timeoutMs: number
  readonly rules: ProviderRules
  readonly tools: FittedTools
  model(): Promise<StreamingModel>
}

/**
 * A model that calls a provider's API. Each answer is one attempt: the caller decides whether to ask again. Opening
 * loads and calls nothing. @throws RefusedError if the environment lacks a key or an address
 */
export function openProviderModel(id: string, provider: Provider, options: ProviderModelOptions): Model {
  const access = accessTo(id, provider, options.env)
  const name = id.slice(id.indexOf('/') + 1)
  let loading: Promise<StreamingModel> | null = null
  const model = (): Promise<StreamingModel> => {
    loading ??= provider.load(name, access)
    return loading
  }
  const rules = PROVIDER_RULES[provider.wireAt(access.baseURL)]
  return modelOf({ asked: { id, ...access }, timeoutMs: options.timeoutMs, rules, model })
}

/** A language model that an agent's definition brings: only its provider's package knows its address and key. */
export function openAiSdkModel(given: AiSdkModel, timeoutMs: number): Model {
  const asked: ModelAccess = { id: nameOfModel(given), apiKey: undefined, keyVariable: null, urlVariable: null }
  const newest = asNewestSpecification(given)
  const rules = rulesOf(given.provider)
  return modelOf({ asked, timeoutMs, rules, model: async () => newest })
}

function modelOf(provided: Omit<Asking, 'request' | 'tools'>): Model {
  const { asked, rules } = provided
  const window = windowOf(asked.id)
  return {
    id: asked.id,
    ...(window !== null && { window }),
    unfit: tools => fitTools(tools, rules).unfit,
    unread: (part, among = []) =>
      part.type === 'text' ? null : fitPart(part, rules.files, sideAmong(among, rules.files)).why,
    async answer(request) {
      request.signal.throwIfAborted()
      const tools = fitTools(request.tools, rules)
      const parts = namedHere(partsOf({ request, tools, ...provided }), tools)
      return readAnswer(parts, { asked, rules, onPart: request.onPart })
    },
  }
}

/** All parts of one answer. Every way of breaking off throws: a ModelError, or the reason of the request's signal. */
async function* partsOf(asking: Asking): AsyncGenerator<LanguageModelV4StreamPart> {
  const { request, asked, timeoutMs } = asking
  const attempt = startAttempt(request.signal, timeoutMs, () =>
    modelFailure('model_timeout', asked, `nothing arrived for ${timeoutMs / 1000} seconds`),
  )
  let reader: PartReader | null = null
  try {
    const begun = await attempt.race(begin(asking, attempt))
    reader = begun.reader
    if (begun.notes.length > 0) yield { type: 'stream-start', warnings: begun.notes.map(toldAs) }
    for (let part = await next(reader, attempt); part; part = await next(reader, attempt)) yield part
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    if (error instanceof ModelError) throw error
    throw await withRefusal(failureOf(error, asked, reader !== null), error, asking)
  } finally {
    attempt.end()
    // Not awaited: a stream that does not end must not hold up its reader.
    reader?.cancel().catch(() => {})
  }
}

/** The parts under the true names of tools and fields. Arguments that have to be renamed come whole, with their call. */
async function* namedHere(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  tools: FittedTools,
): AsyncGenerator<LanguageModelV4StreamPart> {
  for await (const part of parts) {
    if (part.type === 'tool-call') yield trueCall(part, tools)
    else if (part.type !== 'tool-input-start') yield part
    else if (!tools.renames(part.toolName)) yield { ...part, toolName: tools.trueName(part.toolName) }
  }
}

function trueCall(call: LanguageModelV4ToolCall, tools: FittedTools): LanguageModelV4ToolCall {
  if (call.providerExecuted) return call
  const { toolName: wire, input } = call
  return { ...call, toolName: tools.trueName(wire), input: tools.trueArguments(wire, input) }
}

/** The failure with what the provider said of the content of the request, and of which part of it. */
async function withRefusal(failure: ModelError, thrown: unknown, asking: Asking): Promise<ModelError> {
  if (failure.code !== 'model_rejected') return failure
  const { tools, rules } = asking
  const origins: Origins = new WeakMap()
  const { sent } = checked(asking, { provider: (await asking.model()).provider, origins })
  const refusal = refusalOf(thrown, sentPlaces({ prompt: sent.prompt, origins, tools, wire: rules.wire }))
  const { code, message, hint, cause } = failure
  return new ModelError(code, message, { retryable: false, hint, cause, ...(refusal && { details: { refusal } }) })
}

interface Begun {
  readonly reader: PartReader
  readonly notes: readonly string[]
}

async function begin(asking: Asking, { signal }: Attempt): Promise<Begun> {
  const { model, request } = asking
  const asked = await model()
  const { sent, notes } = checked(asking, { provider: asked.provider, origins: new WeakMap() })
  const call = { ...sent, abortSignal: signal }
  const { stream } = await asked.doStream(isCached(asked.provider, request) ? withCacheBreakpoints(call) : call)
  return { reader: stream.getReader(), notes }
}

/** The request as it is sent. @throws ModelError if its provider would refuse it */
function checked(
  { request, tools, rules, asked }: Asking,
  { provider, origins }: { readonly provider: string; readonly origins: Origins },
): Checked {
  const plain = toCall({ request, tools, provider, rules, origins })
  const whole = { ...plain, ...statelessOptions(plain, { wire: rules.wire, provider }) }
  return lastCheck(whole, { model: asked.id, rules, messages: request.messages, tools, origins })
}

function toldAs(message: string): SharedV4Warning {
  return { type: 'other', message }
}

async function next(reader: PartReader, attempt: Attempt): Promise<LanguageModelV4StreamPart | null> {
  const { done, value } = await attempt.race(reader.read())
  if (done) return null
  attempt.alive()
  if (value.type === 'error') throw value.error
  return value
}

/**
 * Reads a whole answer from the parts of its stream.
 * @throws ModelError `stream_cut` if the stream ends before the answer does: half a call is never taken for a call.
 */
async function readAnswer(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  { asked, rules, onPart }: Pick<Asking, 'asked' | 'rules'> & Pick<ModelRequest, 'onPart'>,
): Promise<ModelAnswer> {
  const calls: RequestedCall[] = []
  const pieces = tellPieces(onPart)
  const order = new AnswerOrder(rules.wire)
  let text = ''
  const warnings: string[] = []
  for await (const part of parts) {
    order.take(part)
    if (part.type === 'finish')
      return { text, ...order.said(), calls, ...ending(part, asked), ...(warnings.length > 0 && { warnings }) }
    warnings.push(...partWarnings(part))
    if (part.type === 'tool-call' && !part.providerExecuted) calls.push(requestedCall(part))
    if (part.type === 'text-delta') text += part.delta
    pieces(part)
  }
  throw modelFailure('stream_cut', asked, null)
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

function ending({ finishReason, usage }: Finish, asked: ModelAccess): Pick<ModelAnswer, 'usage' | 'finish_reason'> {
  const { unified, raw = null } = finishReason
  if (unified === 'interrupted' || unified === 'error') throw modelFailure('stream_cut', asked, raw)
  // Anthropic's word for a turn that wants to go on, which the AI SDK calls a stop.
  return { usage: usageOf(usage), finish_reason: raw === 'pause_turn' ? raw : unified }
}

function requestedCall({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): RequestedCall {
  return {
    id: toolCallId,
    name: toolName,
    // A call without arguments arrives as nothing at all from some servers.
    arguments: input.trim() === '' ? '{}' : input,
    metadata: plainMetadata(providerMetadata),
  }
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage {
  const input = inputTokens.total ?? 0
  const output = outputTokens.total ?? 0
  const cached = inputTokens.cacheRead ?? 0
  const total = raw?.['total_tokens'] ?? raw?.['totalTokenCount']
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: typeof total === 'number' ? total : input + output,
    ...(cached > 0 && { cached_input_tokens: cached }),
  }
}
