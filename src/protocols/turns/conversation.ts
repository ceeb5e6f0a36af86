/**
 * A thread as chat clients see it: messages of people, and one turn of the agent for each. A pure fold of the journal, so
 * every process, before and after a restart, gives the same messages the same ids.
 */
import type { EventData, EventKind, JournalEvent } from '../../core/journal/event.ts'
import { apply, emptyThread } from '../../core/journal/fold.ts'
import { runStatus, type Thread } from '../../core/journal/thread.ts'
import { upcast } from '../../core/journal/upcast.ts'
import { answerContent } from '../../core/message/answer-content.ts'
import type { AnswerPart } from '../../core/message/part.ts'
import { type ChatMessage, isOpen, type SaidMessage, type Turn } from './chat-message.ts'

/** The state that `takeIn` updates in place. */
export interface Conversation {
  readonly thread: Thread
  readonly messages: ChatMessage[]
  /** The newest turn; `null` before the first. */
  turn: Turn | null
  /** The `seq` of the newest hold. */
  asked: number
}

export function conversationOf(threadId: string, events: Iterable<JournalEvent>): Conversation {
  const conversation: Conversation = { thread: emptyThread(threadId), messages: [], turn: null, asked: 0 }
  for (const event of events) takeIn(conversation, event)
  return conversation
}

/** Takes one more event in. @throws CorruptJournalError for one that cannot come next. */
export function takeIn(conversation: Conversation, event: JournalEvent): void {
  const input = conversation.turn?.input ?? null
  apply(conversation.thread, event)
  const hear = HEARD[event.kind] as Hearing<EventKind> | undefined
  hear?.(conversation, upcast(event) as never, { event, answersInput: input !== null })
  followCalls(conversation)
}

interface Scene {
  readonly event: JournalEvent
  /** The run waited for the next message until now. */
  readonly answersInput: boolean
}

type Hearing<K extends EventKind> = (conversation: Conversation, data: EventData[K], scene: Scene) => void

const HEARD: { readonly [K in EventKind]?: Hearing<K> } = {
  'message.received': (conversation, { content, author, forced_by, input_id }, { event }) => {
    // A plugin has the run go on: that is no message of a person.
    if (forced_by !== null) return
    say(conversation, event, { content, author, input_id })
    answer(conversation, event)
  },
  'message.queued': (conversation, { content, author, input_id }, { event }) => {
    say(conversation, event, { content, author, input_id })
  },
  'message.delivered': (conversation, _, { event }) => answer(conversation, event),
  'hold.opened': (conversation, _, { event }) => {
    conversation.asked = event.seq
  },
  'hold.decided': (conversation, { call_id, decision }, { event, answersInput }) => {
    if (call_id !== null || !answersInput || decision.verdict !== 'respond') return
    const { value, parts, decided_by: author, input_id } = decision
    say(conversation, event, { content: parts ?? String(value), author, input_id })
    answer(conversation, event)
  },
  'model.answered': (conversation, data, { event }) => {
    const turn = conversation.turn ?? answer(conversation, event)
    turn.run_id = event.run_id
    turn.termination = null
    turn.steps.push({ parts: partsOf(data), calls: [], holds: [], ended: false })
  },
  'step.ended': ({ turn }) => {
    const step = turn?.steps.at(-1)
    if (step) step.ended = true
  },
  'run.finished': ({ turn }, { termination }, { event }) => {
    if (!turn) return
    turn.run_id = event.run_id
    turn.termination = termination
  },
}

type Given = Pick<SaidMessage, 'content' | 'author'> & { readonly input_id?: string | undefined }

function say({ messages }: Conversation, { seq, at }: JournalEvent, { content, author, input_id }: Given): void {
  messages.push({ role: 'user', id: input_id ?? `m${seq}`, seq, at, content, author, turn_id: null })
}

/** The turn for every message that has none; a queued one is delivered with all those before it. */
function answer(conversation: Conversation, event: JournalEvent): Turn {
  const turn = begun(conversation) ?? newTurn(event)
  const count = event.kind === 'message.delivered' ? event.data.count : Number.POSITIVE_INFINITY
  for (const said of conversation.messages.filter(isUnanswered).slice(0, count)) said.turn_id = turn.id
  conversation.messages.push(turn)
  conversation.turn = turn
  return turn
}

/** Messages in a row have one turn, which moves to the newest of them. */
function begun({ messages, turn }: Conversation): Turn | null {
  if (!turn || turn.steps.length > 0 || turn.termination) return null
  messages.splice(messages.lastIndexOf(turn), 1)
  return turn
}

function newTurn({ seq, at, run_id }: JournalEvent): Turn {
  return { role: 'assistant', id: `a${seq}`, seq, at, run_id, steps: [], input: null, termination: null }
}

function isUnanswered(message: ChatMessage): message is SaidMessage {
  return message.role === 'user' && message.turn_id === null
}

function partsOf(data: EventData['model.answered']): readonly AnswerPart[] {
  const content = answerContent(data)
  if (typeof content !== 'string') return content
  const calls = data.calls.map(({ id }): AnswerPart => ({ type: 'tool_call', id }))
  return content === '' ? calls : [{ type: 'text', text: content }, ...calls]
}

/** Updates the calls and holds of the current step after this event. */
function followCalls({ thread: { run }, turn }: Conversation): void {
  if (!run || !turn) return
  const holds = [...run.holds.values()]
  turn.input = holds.find(hold => hold.call_id === null && isOpen(hold)) ?? null
  const step = turn.steps.at(-1)
  if (!step || (step.ended && step.holds.every(hold => !isOpen(hold)))) return
  if (run.step) step.calls = [...run.step.calls.values()]
  step.holds = holds.filter(({ call_id }) => call_id !== null)
}

/**
 * True if the run is done, or has paused with every hold of its pause in the journal. Then nothing more follows before
 * a person acts.
 */
export function isAtRest({ thread: { run }, asked }: Conversation): boolean {
  if (!run) return true
  const status = runStatus(run)
  return status === 'done' || (status === 'waiting' && (run.announced?.seq ?? 0) > asked)
}

/** True if nothing more follows in this turn: a newer one began, or the run paused or ended. */
export function isOver(conversation: Conversation, turn: Turn): boolean {
  return turn !== conversation.turn || isAtRest(conversation)
}

/** The turn with this id; `null` if there is none. */
export function turnWith({ messages }: Conversation, id: string): Turn | null {
  return messages.find((message): message is Turn => message.role === 'assistant' && message.id === id) ?? null
}

/** The message of a person with this id; `null` if there is none. */
export function saidWith({ messages }: Conversation, id: string): SaidMessage | null {
  return messages.find((message): message is SaidMessage => message.role === 'user' && message.id === id) ?? null
}
