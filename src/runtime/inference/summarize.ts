import { SUMMARY_INSTRUCTIONS, transcriptOf } from '../../core/context/transcript.ts'
import { ModelError, messageOf } from '../../core/errors.ts'
import type { Message } from '../../core/journal/message.ts'
import type { Usage } from '../../core/run/usage/usage.ts'
import type { Model } from '../../ports/agent/model.ts'
import { whileCancellable } from '../session/cancellation.ts'
import type { RunSession } from '../session/run-session.ts'
import { usageIn } from './ask-model.ts'
import { askPatiently, PATIENCE_BEFORE_REST_MS } from './ask-patiently.ts'

export interface Summary {
  readonly summary: string
  readonly model: string
  readonly usage: Usage
}

interface Wanted {
  /** The messages to summarize, as they are sent. */
  readonly messages: readonly Message[]
  /** The model of the run, and its window in tokens of our estimate. */
  readonly model: Model
  readonly window: number
  /** What people want to be kept in it. */
  readonly focus: string | null
}

/** Shares of the window: what the model reads of the conversation, and the longest summary. */
const [READ, WRITTEN] = [0.6, 1 / 6]
const MOST_WRITTEN = 16_000

/** A summary, or why there is none. @throws the reason of the run's signal if it was stopped meanwhile */
export async function summarize(session: RunSession, wanted: Wanted): Promise<Summary | { readonly failed: string }> {
  try {
    return await whileCancellable(session, signal => askForSummary(session, wanted, signal))
  } catch (thrown) {
    session.signals.throwIfStopped()
    return { failed: messageOf(thrown) }
  }
}

async function askForSummary(session: RunSession, wanted: Wanted, signal: AbortSignal): Promise<Summary> {
  const { model: name, instructions = SUMMARY_INSTRUCTIONS } = session.run.profile.context ?? {}
  const model = name === undefined ? wanted.model : await (await session.agent()).model(name)
  const window = Math.min(wanted.window, model.window ?? wanted.window)
  const content = [
    `The conversation:\n\n${transcriptOf(wanted.messages, window * READ)}`,
    ...(wanted.focus === null ? [] : [`A person asks that the summary keeps in particular: ${wanted.focus}`]),
    'Write the summary now.',
  ].join('\n\n')
  const request = {
    system: instructions,
    messages: [{ role: 'user', content, author: null } as const],
    tools: [],
    maxOutputTokens: Math.max(1_000, Math.min(MOST_WRITTEN, Math.floor(window * WRITTEN))),
    signal,
    onPart: () => {},
  }
  const { text = '', usage } = await askPatiently(session, signal, {
    patience: PATIENCE_BEFORE_REST_MS,
    ask: () => model.answer(request),
  })
  if (text.trim() === '') throw new ModelError('invalid_answer', 'the model wrote nothing.', { retryable: false })
  return { summary: text.trim(), model: model.id, usage: usageIn(usage) }
}
