import { isModelError, ModelError } from '../core/errors.ts'
import { NO_USAGE } from '../core/usage.ts'
import type { LoadedAgent } from '../ports/agent-source.ts'
import type { ModelAnswer, ModelRequest, RequestedCall, ToolSpec } from '../ports/model.ts'
import type { RunSession } from './run-session.ts'

/** Waits before the second, third and fourth try, unless the provider says how long. */
const BACKOFF_MS: readonly number[] = [500, 1_000, 2_000]
const LONGEST_WAIT_MS = 60_000

/** Asks until the model answers, a retry cannot help, or the tries are used up. @throws ModelError, or the signal's reason. */
export async function askModel(session: RunSession): Promise<{ answer: ModelAnswer; model: string }> {
  const agent = await session.agent()
  const model = await agent.model()
  const request = requestOf(session, agent)
  for (let tries = 0; ; tries += 1) {
    try {
      return { answer: completeAnswer(await model.answer(request)), model: model.id }
    } catch (thrown) {
      const wait = BACKOFF_MS[tries]
      if (!isModelError(thrown) || !thrown.retryable || wait === undefined) throw thrown
      await waitBeforeRetry(session, thrown, {
        attempt: tries + 2,
        wait_ms: Math.min(thrown.retryAfterMs ?? wait, LONGEST_WAIT_MS),
      })
    }
  }
}

/** A model of somebody's own may leave things out. @throws ModelError for an answer that is none. */
function completeAnswer(answer: Partial<ModelAnswer>): ModelAnswer {
  const { text = '', calls = [], usage = NO_USAGE, finish_reason = 'unknown' } = answer
  const isOne =
    typeof text === 'string' &&
    Array.isArray(calls) &&
    calls.every(isCall) &&
    Object.values(usage).every(Number.isFinite)
  if (!isOne)
    throw new ModelError('invalid_answer', 'The model gave an answer that is not of the form of ModelAnswer.', {
      retryable: false,
    })
  return {
    text,
    calls: calls.map(call => ({ ...call, metadata: call.metadata ?? null })),
    usage: { ...NO_USAGE, ...usage },
    finish_reason,
  }
}

function isCall({ id, name, arguments: args }: RequestedCall): boolean {
  return [id, name, args].every(part => typeof part === 'string')
}

async function waitBeforeRetry(
  session: RunSession,
  error: ModelError,
  retry: { attempt: number; wait_ms: number },
): Promise<void> {
  const { code, message } = error
  session.tell({ kind: 'model.retrying', run_id: session.run.id, ephemeral: true, data: { ...retry, code, message } })
  await session.runtime.clock.sleep(retry.wait_ms, session.signal)
}

function requestOf(session: RunSession, agent: LoadedAgent): ModelRequest {
  const { run, thread, signal } = session
  return {
    system: run.profile.instructions,
    messages: thread.messages,
    tools: offeredTools(session, agent),
    signal,
    onText: delta => session.tell({ kind: 'text.delta', run_id: run.id, ephemeral: true, data: { delta } }),
  }
}

/** A tool that asks people is offered only where a run may wait for them. */
function offeredTools(session: RunSession, { tools }: LoadedAgent): ToolSpec[] {
  return [...tools.values()]
    .filter(tool => !tool.asks || session.pausesFor('question'))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
}
