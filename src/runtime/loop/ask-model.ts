import { isModelError, ModelError } from '../../core/errors.ts'
import { isApprovalRequest } from '../../core/hold/approval-request.ts'
import { readAnswerParts, saidIn } from '../../core/message/answer-parts.ts'
import { plain } from '../../core/plain/plain.ts'
import { CallIds } from '../../core/run/call-ids.ts'
import { nextModel } from '../../core/run/outcome/outage.ts'
import type { Usage } from '../../core/run/usage.ts'
import { mergeModelSettings, modelOptions, readModelOptions } from '../../core/settings/model-settings.ts'
import type { Json } from '../../core/text/json.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { ModelAnswer, ModelRequest, ToolSpec } from '../../ports/agent/model.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import type { Clock } from '../../ports/clock.ts'
import { isCall } from '../definitions/usable.ts'
import { profileCopy, schemaCopy } from '../session/hook-view.ts'
import type { RunSession } from '../session/run-session.ts'
import { InferencePieces } from './inference-pieces.ts'
import { sentTo } from './repair-request.ts'

/** Waits from one try to the next, unless the provider names a time. */
const BACKOFF_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 29_000]
/** In milliseconds, where somebody waits for the run. */
const USUAL_PATIENCE_MS = 60_000
/** A model that another one can stand in for is asked three times. */
const PATIENCE_BEFORE_NEXT_MS = 1_500
/** A run that may wait without a process lets go of it sooner. */
const PATIENCE_BEFORE_REST_MS = 5_000

export interface Inference {
  readonly answer: ModelAnswer
  /** The model that answered. */
  readonly model: string
  /** The call ids under which the pieces were streamed. */
  readonly callIds: CallIds
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
  const request = requestOf(parameters, signal)
  const patience = patienceOf(session, parameters)
  for (let tries = 0, waited = 0; ; tries += 1) {
    const callIds = new CallIds(session.thread.call_ids, session.run.steps + 1)
    const pieces = new InferencePieces(session, callIds)
    try {
      const answer = completeAnswer(
        await model.answer({ ...request, ...sentTo(session, model, request.tools), onPart: pieces.hear }),
      )
      pieces.complete()
      return { answer, model: model.id, callIds }
    } catch (thrown) {
      const left = Math.min(patience - waited, session.time.leftMs)
      const wait_ms = waitBefore(thrown, tries, left)
      pieces.void(wait_ms === null ? 'failed' : 'retry')
      if (wait_ms === null) throw orRetryLater(thrown, left, session.runtime.clock)
      const { code, message } = thrown as ModelError
      session.tell({ kind: 'model.retrying', data: { attempt: tries + 2, wait_ms, code, message } })
      await session.runtime.clock.sleep(wait_ms, signal)
      waited += wait_ms
    }
  }
}

/** Milliseconds until the model is asked again; `null` if that cannot help. */
function waitBefore(thrown: unknown, tries: number, patience: number): number | null {
  const wait = BACKOFF_MS[tries]
  if (!isModelError(thrown) || !thrown.retryable || wait === undefined) return null
  const wanted = thrown.retryAfterMs ?? wait
  return wanted > patience ? null : wanted
}

/** A run waits for a provider no longer than it may still be worked on. */
function patienceOf(session: RunSession, { giveUpAfterSeconds, fallbackModels, model }: InferenceParameters): number {
  if (nextModel(fallbackModels ?? [], typeof model === 'string' ? model : null) !== null) return PATIENCE_BEFORE_NEXT_MS
  const wanted = giveUpAfterSeconds == null ? USUAL_PATIENCE_MS : giveUpAfterSeconds * 1000
  if (!session.waitsForModel) return wanted
  // In an outage one try is enough to know.
  return session.run.outage ? 0 : Math.min(wanted, PATIENCE_BEFORE_REST_MS)
}

const LONGEST_RETRY_MS = 365 * 24 * 3_600_000

/** A request before the time that the provider named would fail, so the caller learns that time. */
function orRetryLater(cause: unknown, patience: number, clock: Clock): unknown {
  if (!isModelError(cause) || !cause.retryable || (cause.retryAfterMs ?? 0) <= patience) return cause
  const ms = Math.min(cause.retryAfterMs ?? 0, LONGEST_RETRY_MS)
  const retry_at = new Date(clock.now() + ms).toISOString()
  return new ModelError('retry_later', `${cause.message} It takes the next request at ${retry_at}.`, {
    retryable: true,
    hint: `Go on after ${retry_at}: that is longer than a run waits for an answer.`,
    details: { retry_at },
    retryAfterMs: cause.retryAfterMs,
    cause,
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
function usageIn(given: unknown): Usage {
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
  const { instructions, model_settings = {} } = profileCopy(session.run.profile)
  return {
    ...modelOptions(model_settings),
    system: instructions,
    tools: offeredTools(session, await session.agent()),
  }
}

/** A tool that asks people is offered only if the run may wait for them. */
function offeredTools(session: Pick<RunSession, 'pausesFor'>, { tools }: LoadedAgent): ToolSpec[] {
  return [...tools.values()]
    .filter(tool => !tool.asks || session.pausesFor(isApprovalRequest(tool.name) ? 'approval' : 'question'))
    .map(({ name, description, inputSchema }) =>
      Object.freeze({ name, description, inputSchema: schemaCopy(inputSchema) }),
    )
}
