import { isModelError, ModelError } from '../../core/errors.ts'
import { isApprovalRequest } from '../../core/hold/approval-request.ts'
import { readAnswerParts, saidIn } from '../../core/message/answer-parts.ts'
import { plain } from '../../core/plain/plain.ts'
import { CallIds } from '../../core/run/call-ids.ts'
import type { Usage } from '../../core/run/usage/usage.ts'
import { mergeModelSettings, modelOptions, readModelOptions } from '../../core/settings/model-settings.ts'
import { systemPrompt } from '../../core/settings/project-instructions.ts'
import type { Json } from '../../core/text/json.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { ModelAnswer, ModelRequest, ToolSpec } from '../../ports/agent/model.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import { requestTokens, windowFor } from '../context/window.ts'
import { isCall } from '../definitions/usable.ts'
import { profileCopy, schemaCopy } from '../session/hook-view.ts'
import type { RunSession } from '../session/run-session.ts'
import { askPatiently, patienceOf } from './ask-patiently.ts'
import { InferencePieces } from './inference-pieces.ts'
import { offeredBy } from './provider-tools.ts'
import { sentTo } from './repair-request.ts'

export interface Inference {
  readonly answer: ModelAnswer
  /** The model that answered. */
  readonly model: string
  /** The call ids under which the pieces were streamed. */
  readonly callIds: CallIds
  /** Our estimate of the tokens of the request, if the model's window is known. */
  readonly estimated?: number
}

/** After an answer that reached its limit, a limit that the agent sets is doubled. @throws as `askWithin` */
export async function askModel(
  session: RunSession,
  parameters: InferenceParameters,
  signal: AbortSignal,
): Promise<Inference> {
  const { maxOutputTokens } = parameters
  if (session.run.asked_again !== 'length' || maxOutputTokens == null) return askWithin(session, parameters, signal)
  try {
    return await askWithin(session, { ...parameters, maxOutputTokens: 2 * maxOutputTokens }, signal)
  } catch (thrown) {
    // The model may take no larger one.
    if (!isModelError(thrown) || thrown.code !== 'model_rejected') throw thrown
    return askWithin(session, parameters, signal)
  }
}

/** Asks until the model answers, a retry cannot help, or the tries are used up. @throws ModelError, or the signal's reason. */
async function askWithin(
  session: RunSession,
  parameters: InferenceParameters,
  signal: AbortSignal,
): Promise<Inference> {
  const agent = await session.agent()
  const model = await agent.model(parameters.model)
  const { messages, tools } = sentTo(session, model, parameters.tools)
  const request = { ...requestOf(offeredBy(session, parameters), signal), messages: [...messages], tools }
  const estimated = windowFor(session, model) === null ? {} : { estimated: requestTokens(request) }
  let pieces: InferencePieces | null = null
  return askPatiently(session, signal, {
    ...patienceOf(session, parameters),
    async ask() {
      const callIds = new CallIds(session.thread.call_ids, session.run.steps + 1)
      pieces = new InferencePieces(session, callIds)
      const answer = completeAnswer(await model.answer({ ...request, onPart: pieces.hear }))
      pieces.complete()
      return { answer, model: model.id, callIds, ...estimated }
    },
    failed: willRetry => pieces?.void(willRetry ? 'retry' : 'failed'),
  })
}

/** A model from a library's user may leave things out. @throws ModelError for an answer that is none. */
function completeAnswer(answer: Partial<ModelAnswer>): ModelAnswer {
  const { calls = [] } = answer
  const parts = answer.parts === undefined ? [] : readAnswerParts(answer.parts)
  const { text = saidIn(parts ?? []) } = answer
  if (parts === null || typeof text !== 'string' || !Array.isArray(calls) || !calls.every(isCall))
    throw new ModelError('invalid_answer', 'The model gave an answer that is not of the form of ModelAnswer.', {
      retryable: false,
    })
  return {
    text,
    ...(parts.length > 0 && { parts }),
    calls: calls.map(({ id, name, arguments: args, metadata }) => ({
      id,
      name,
      arguments: args,
      metadata: orNull(metadata),
    })),
    usage: usageIn(answer.usage),
    finish_reason: reasonIn(answer.finish_reason),
    ...warningsIn(answer.warnings),
  }
}

function warningsIn(given: unknown): Pick<ModelAnswer, 'warnings'> {
  const warnings = Array.isArray(given) ? given.filter(each => typeof each === 'string') : []
  return warnings.length === 0 ? {} : { warnings }
}

/** Only the provider needs it back, so an answer is as good without it. */
function orNull(metadata: unknown): Json {
  try {
    return plain((metadata ?? null) as Json)
  } catch {
    return null
  }
}

/** A value that is no count of tokens counts as zero. */
export function usageIn(given: unknown): Usage {
  const counts = (typeof given === 'object' ? given : null) as Partial<Record<keyof Usage, unknown>> | null
  const count = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0)
  const [input_tokens, output_tokens] = [count(counts?.input_tokens), count(counts?.output_tokens)]
  const cached = count(counts?.cached_input_tokens)
  return {
    input_tokens,
    output_tokens,
    total_tokens: count(counts?.total_tokens),
    ...(cached > 0 && { cached_input_tokens: cached }),
  }
}

/** The AI SDK has an object with the word in it. */
function reasonIn(given: unknown): string {
  const word = typeof given === 'object' && given !== null && 'unified' in given ? given.unified : given
  return typeof word === 'string' ? word : 'unknown'
}

function requestOf(parameters: InferenceParameters, signal: AbortSignal): Omit<ModelRequest, 'onPart' | 'messages'> {
  const { system, tools, model: _, ...options } = parameters
  return {
    ...modelOptions(mergeModelSettings([readModelOptions(options)])),
    system,
    tools,
    signal,
  }
}

/** The model's parameters before the plugins. */
export async function parametersOf(session: RunSession): Promise<InferenceParameters> {
  const { model_settings = {}, ...profile } = profileCopy(session.run.profile)
  return {
    ...modelOptions(model_settings),
    system: systemPrompt(profile),
    tools: offeredTools(session, await session.agent()),
  }
}

/** A tool that asks people is offered only if the run may wait for them. */
function offeredTools(session: Pick<RunSession, 'pausesFor'>, { tools }: LoadedAgent): ToolSpec[] {
  return [...tools.values()]
    .filter(tool => !tool.asks || session.pausesFor(isApprovalRequest(tool.name) ? 'approval' : 'question'))
    .map(toolSpec)
}

/** The tool as its model is shown it. */
export function toolSpec({ name, description, inputSchema }: ToolSpec): ToolSpec {
  return Object.freeze({ name, description, inputSchema: schemaCopy(inputSchema) })
}
