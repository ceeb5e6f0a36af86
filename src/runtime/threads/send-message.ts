import { RefusedError } from '../../core/errors.ts'
import { A_NAME, A_TEXT, ANYTHING, checkFields, type Rules } from '../../core/given-fields.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { plainEvent } from '../../core/journal/event.ts'
import { idOf } from '../../core/journal/human-thread.ts'
import { checkInputId, isSameInput } from '../../core/journal/input.ts'
import type { Thread } from '../../core/journal/thread.ts'
import type { Content } from '../../core/message/part.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Warned } from '../../core/run/warnings/run-warning.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { newlyChangedInstructions } from '../definitions/changed-instructions.ts'
import { answerWith } from '../holds/answer-hold.ts'
import { decideHolds } from '../holds/decide-holds.ts'
import { answerIn } from '../holds/ready-decisions.ts'
import { type MessageContent, messageContent } from '../views/message-content.ts'
import { startRun } from './start-run.ts'
import { unreadParts } from './unread-parts.ts'

/** A message to a thread. */
export type MessageInput = MessageContent & {
  /** Default: unknown. */
  readonly author?: string
  /** The surface that sends it. Default: `code`. */
  readonly surface?: string
  /** The message of the thread that asked, or the id of its hold: to reply to it is to decide it. */
  readonly replyTo?: string
  /** Idempotency key, unique in its thread: a message that is sent twice is one. */
  readonly inputId?: string
}

/**
 * How a message is taken while holds are open: refused; delivered at the next boundary, once they are decided; or taken
 * instead of the waiting calls, which are cancelled with a visible result. `interrupt` is `supersede` that also stops
 * running work: the model is asked again, and calls are cut off.
 */
export type WhileWaiting = (typeof WHILE_WAITING)[number]

/**
 * `queued`: the run gets it at its next boundary. `answered`: the run waited for just that. `superseded`: the calls that
 * waited are cancelled. `started`: the thread was at rest, so a new run begins with it. Advance `run_id` then.
 * `duplicate`: a message with this `inputId` and content was taken before, as event `seq` of the thread.
 */
export type Sent = Warned &
  (
    | { readonly outcome: 'queued' | 'answered' | 'superseded' | 'started'; readonly run_id: string }
    | { readonly outcome: 'duplicate'; readonly run_id: string; readonly seq: number }
  )

interface Message {
  readonly content: Content
  readonly author: string | null
  readonly surface: string
  readonly inputId: string | undefined
}

interface Sending {
  readonly message: Message
  readonly whileWaiting: WhileWaiting
  readonly replyTo: string | undefined
  readonly onlyTo: string | undefined
}

/** The options of `send`. */
export interface SendOptions {
  /** Default: `reject`. */
  readonly whileWaiting?: WhileWaiting
  /** The run that it is for: refused as `superseded` if that is over. Default: the newest run, or the next one. */
  readonly onlyTo?: string
}

const OPTIONS: Rules<SendOptions> = { whileWaiting: ANYTHING, onlyTo: A_TEXT }

/** The content and the `inputId` have rules of their own. */
const MESSAGE = {
  ...{ text: ANYTHING, parts: ANYTHING, inputId: ANYTHING },
  ...{ author: A_NAME, surface: A_NAME, replyTo: A_TEXT },
}

/** @throws RefusedError; then nothing was written. */
export async function sendMessage(
  runtime: Runtime,
  thread: Thread,
  { message: given, options }: { message: MessageInput; options: SendOptions },
): Promise<Sent> {
  const { whileWaiting = 'reject', onlyTo } = checkFields('The third argument of send', options, OPTIONS)
  const { author = null, surface = 'code', replyTo, inputId } = checkFields('send', given, MESSAGE)
  const message = { content: messageContent(runtime, given), author, surface, inputId }
  if (!WHILE_WAITING.includes(whileWaiting)) throw runRefusals.unknownMode(whileWaiting, WHILE_WAITING.join(', '))
  checkInputId(inputId)
  const sending = { message, whileWaiting, replyTo, onlyTo }
  const before = inputId === undefined ? null : await sentBefore(runtime, thread, message)
  const sent = before ?? (await (inputId === undefined ? deliver : deliverOnce)(runtime, thread, sending))
  const warnings = [
    ...(unreadParts(runtime, { profile: thread.run?.profile, content: message.content, thread }).warnings ?? []),
    ...(thread.run?.id === sent.run_id ? await newlyChangedInstructions(runtime, thread.run) : []),
  ]
  return warnings.length === 0 ? sent : { ...sent, warnings }
}

/** P2: the store takes one message with this id, even if others send it at the same time. */
async function deliverOnce(runtime: Runtime, thread: Thread, sending: Sending): Promise<Sent> {
  try {
    return await deliver(runtime, thread, sending)
  } catch (thrown) {
    // If the message was taken meanwhile, no other obstacle matters.
    const before = thrown instanceof RefusedError ? await sentBefore(runtime, thread, sending.message) : null
    if (before) return before
    throw thrown
  }
}

/** `null` if no message of the thread has this id. @throws RefusedError `input_id_taken` if another one has it. */
async function sentBefore(runtime: Runtime, thread: Thread, message: Message): Promise<Sent | null> {
  const { inputId = '' } = message
  const seq = await runtime.store.findInput(thread.id, inputId)
  const [event] = seq === null ? [] : await runtime.store.journal(thread.id, seq - 1, 1)
  if (!event) return null
  if (!isSameInput(event, message, thread.run?.profile.approval_answers ?? 'tolerant'))
    throw runRefusals.inputIdTaken(inputId, event.seq)
  return { outcome: 'duplicate', run_id: event.run_id, seq: event.seq }
}

async function deliver(runtime: Runtime, thread: Thread, sending: Sending): Promise<Sent> {
  const { message, whileWaiting, replyTo, onlyTo } = sending
  const { run } = thread
  if (onlyTo !== undefined && (run?.id !== onlyTo || run.termination)) throw runRefusals.movedOnWhileSent(onlyTo)
  if (replyTo !== undefined) return reply(runtime, thread.id, { message, replyTo })
  if (!run || run.termination) return startNext(runtime, thread, message)
  const [asked] = await runtime.store.holds({ run_id: run.id, status: 'open', kind: 'input', limit: 1 })
  if (asked) return answerInput(runtime, asked, message)
  const queued = await queueMessage(runtime, run.id, { message, whileWaiting })
  // The run began to wait for a message between the look and the write.
  return queued ?? deliver(runtime, thread, sending)
}

export const WHILE_WAITING = ['reject', 'queue', 'supersede', 'interrupt'] as const

async function startNext(runtime: Runtime, thread: Thread, { content, author, inputId }: Message): Promise<Sent> {
  const profile = thread.run?.profile
  if (!profile) throw runRefusals.unknownSession(thread.id)
  const started = await startRun(runtime, {
    profile,
    input: content,
    ...(inputId !== undefined && { inputId }),
    author,
    thread,
    carried: null,
  })
  return { outcome: 'started', run_id: started.id }
}

/** @throws RefusedError if it is not taken as a decision. */
async function reply(
  runtime: Runtime,
  threadId: string,
  { message, replyTo }: { readonly message: Message; readonly replyTo: string },
): Promise<Sent> {
  const events = await runtime.store.journal(threadId)
  const asked = events.flatMap(event =>
    event.kind === 'hold.opened' && [event.data.hold_id, idOf(event)].includes(replyTo) ? [event.data.hold_id] : [],
  )
  const [holdId] = asked
  if (holdId === undefined) throw runRefusals.askedNothing(replyTo)
  const receipt = await answerWith(runtime, holdId, { content: message.content, ...signatureOf(message) })
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(holdId, receipt.winner)
  return { outcome: 'answered', run_id: receipt.hold.run_id }
}

function signatureOf({
  author,
  surface,
  inputId,
}: Message): Pick<DecisionInput, 'decided_by' | 'surface' | 'input_id'> {
  return { decided_by: author ?? 'user', surface, input_id: inputId }
}

/** To speak to a run that waits for the next message, is to decide its hold. */
async function answerInput(runtime: Runtime, { id, run_id }: Hold, message: Message): Promise<Sent> {
  const answer = { ...answerIn(message.content), ...signatureOf(message) }
  const [receipt] = await decideHolds(runtime, [{ hold_id: id, verdict: 'respond', ...answer }])
  if (receipt?.outcome === 'recorded') return { outcome: 'answered', run_id }
  if (receipt?.outcome === 'refused') throw receipt.error
  throw runRefusals.movedOnWhileSent(run_id)
}

/** `null` if the run waits for just that. */
async function queueMessage(
  runtime: Runtime,
  run_id: string,
  { message, whileWaiting }: { message: Message; whileWaiting: WhileWaiting },
): Promise<Sent | null> {
  const { content, author, inputId: input_id } = message
  const interrupt = whileWaiting === 'interrupt'
  const supersede = interrupt || whileWaiting === 'supersede'
  const data = {
    ...{ content, author, supersede },
    ...(interrupt && { interrupt }),
    ...(input_id !== undefined && { input_id }),
  }
  const requested = await runtime.store.request({
    run_id,
    event: plainEvent({ kind: 'message.queued', run_id, data }),
    withdraw: supersede,
    unlessWaiting: whileWaiting === 'reject',
  })
  if (requested?.outcome === 'asks') return null
  if (requested?.outcome === 'waiting')
    throw runRefusals.runWaits(run_id, requested.holds === 1 ? 'a decision' : `${requested.holds} decisions`)
  if (requested?.outcome !== 'recorded') throw runRefusals.movedOnWhileSent(run_id)
  const superseded = requested.events.some(({ kind }) => kind === 'hold.withdrawn')
  return { outcome: superseded ? 'superseded' : 'queued', run_id }
}
