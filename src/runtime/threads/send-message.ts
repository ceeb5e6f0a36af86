import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { idOf } from '../../core/journal/human-thread.ts'
import type { Thread } from '../../core/journal/thread.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { answerHold } from '../holds/answer-hold.ts'
import { decideHolds } from '../holds/decide-holds.ts'
import { messageText } from '../views/message-text.ts'
import { startRun } from './start-run.ts'

export interface MessageInput {
  readonly text: string
  /** Who says it. */
  readonly author?: string
  /** Where it comes from. Default: `code`. */
  readonly surface?: string
  /** The message of the thread that asked, or the id of its hold: to reply to it is to decide it. */
  readonly replyTo?: string
}

/**
 * What becomes of a message while holds are open: refused; delivered at the next boundary, once they are decided; or put
 * in the place of the calls that wait, which are cancelled with a visible result.
 */
export type WhileWaiting = 'reject' | 'queue' | 'supersede'

/**
 * `queued`: the run gets it at its next boundary. `answered`: the run waited for just that. `superseded`: the calls that
 * waited are cancelled. `started`: the thread was at rest, so a new run begins with it. Advance `run_id` then.
 */
export interface Sent {
  readonly outcome: 'queued' | 'answered' | 'superseded' | 'started'
  readonly run_id: string
}

/** @throws RefusedError; then nothing was written. */
export async function sendMessage(
  runtime: Runtime,
  thread: Thread,
  { message, whileWaiting }: { message: MessageInput; whileWaiting: WhileWaiting },
): Promise<Sent> {
  const { run } = thread
  messageText(message.text)
  if (!WHILE_WAITING.includes(whileWaiting)) throw unknownMode(whileWaiting)
  if (message.replyTo !== undefined) return reply(runtime, thread.id, { ...message, replyTo: message.replyTo })
  if (!run || run.termination) return startNext(runtime, thread, message)
  const [asked] = await runtime.store.holds({ run_id: run.id, status: 'open', kind: 'input', limit: 1 })
  if (asked) return answerInput(runtime, asked, message)
  return queueMessage(runtime, run.id, { message, whileWaiting })
}

const WHILE_WAITING: readonly string[] = ['reject', 'queue', 'supersede'] satisfies WhileWaiting[]

async function startNext(runtime: Runtime, thread: Thread, { text, author }: MessageInput): Promise<Sent> {
  const profile = thread.run?.profile
  if (!profile) throw new RefusedError('unknown_session', `No run was ever started on thread ${thread.id}.`)
  const started = await startRun(runtime, {
    profile,
    input: text,
    author: author ?? null,
    thread: { id: thread.id, seq: thread.seq },
    carried: null,
  })
  return { outcome: 'started', run_id: started.id }
}

/** @throws RefusedError where it is not taken as a decision. */
async function reply(
  runtime: Runtime,
  threadId: string,
  { text, author = 'user', surface = 'code', replyTo }: MessageInput & { readonly replyTo: string },
): Promise<Sent> {
  const events = await runtime.store.journal(threadId)
  const asked = events.flatMap(event =>
    event.kind === 'hold.opened' && [event.data.hold_id, idOf(event)].includes(replyTo) ? [event.data.hold_id] : [],
  )
  const [holdId] = asked
  if (holdId === undefined) throw askedNothing(replyTo)
  const receipt = await answerHold(runtime, holdId, { text, decided_by: author, surface })
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(holdId, receipt.winner)
  return { outcome: 'answered', run_id: receipt.hold.run_id }
}

function askedNothing(id: string): RefusedError {
  return new RefusedError('unknown_message', `No message ${JSON.stringify(id)} of this thread asks anything.`, {
    hint: 'Reply to a message of role agent_question, or to the id of its hold.',
  })
}

/** To speak to a run that waits for the next message, is to decide its hold. */
async function answerInput(runtime: Runtime, { id, run_id }: Hold, message: MessageInput): Promise<Sent> {
  const { text, author = 'user', surface = 'code' } = message
  const [receipt] = await decideHolds(runtime, [
    { hold_id: id, verdict: 'respond', value: text, decided_by: author, surface },
  ])
  if (receipt?.outcome === 'recorded') return { outcome: 'answered', run_id }
  if (receipt?.outcome === 'refused') throw receipt.error
  throw movedOn(run_id)
}

async function queueMessage(
  runtime: Runtime,
  run_id: string,
  { message, whileWaiting }: { message: MessageInput; whileWaiting: WhileWaiting },
): Promise<Sent> {
  const { text: content, author = null } = message
  const supersede = whileWaiting === 'supersede'
  const requested = await runtime.store.request({
    run_id,
    event: { kind: 'message.queued', run_id, data: { content, author, supersede } },
    withdraw: supersede,
    unlessWaiting: whileWaiting === 'reject',
  })
  if (requested?.outcome === 'waiting') throw runWaits(run_id, requested.holds)
  if (requested?.outcome !== 'recorded') throw movedOn(run_id)
  const superseded = requested.events.some(({ kind }) => kind === 'hold.withdrawn')
  return { outcome: superseded ? 'superseded' : 'queued', run_id }
}

function unknownMode(mode: string): RefusedError {
  return new RefusedError('invalid_arguments', `whileWaiting ${JSON.stringify(mode)} is not known.`, {
    hint: `Use ${WHILE_WAITING.join(', ')}.`,
  })
}

function runWaits(runId: string, holds: number): RefusedError {
  return new RefusedError(
    'run_waiting',
    `Run ${runId} waits for ${holds === 1 ? 'a decision' : `${holds} decisions`}, so the message was not sent.`,
    {
      hint: 'Decide first; or send it with whileWaiting "queue" (it is delivered afterwards) or "supersede" (it takes the place of the calls that wait).',
    },
  )
}

function movedOn(runId: string): RefusedError {
  return new RefusedError('superseded', `Run ${runId} moved on while the message was sent, so it was not taken.`, {
    hint: 'Send it again.',
  })
}
