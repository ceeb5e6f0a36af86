/**
 * The conversation as people see it (docs/design/journal.md#two-views-of-one-journal): the agent's questions, the
 * answers, and the effects of deadlines. It is derived from the journal, like the model's view. Rows of holds have the
 * questions.
 */

import type { Amount } from '../count.ts'
import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import { saidInWords } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import { saysSomething } from '../message/answer-content.ts'
import { answerText, contentText } from '../message/part-words.ts'
import { compactionWords, requestedWords } from '../run/context/compaction.ts'
import { outageWords, switchWords } from '../run/outcome/outage.ts'
import { repairWords } from '../run/repair/context-repair.ts'
import { describeEnd } from '../run/termination.ts'
import type { ToolCall } from '../run/tool-call.ts'
import type { Json } from '../text/json.ts'
import type { EventKind, JournalEvent } from './event.ts'
import { HeardInput } from './input.ts'
import type { MessageCall } from './message.ts'

/** The author of a message, as people see a thread. */
export type HumanRole = 'system' | 'user' | 'assistant' | 'tool' | 'agent_question' | 'human_response'

/** One message of the human thread. Fields that do not apply are `null`. */
export interface HumanMessage {
  /** Unique in its thread; what `reply_to` names. */
  readonly id: string
  readonly seq: Amount
  /** ISO time. */
  readonly at: string
  readonly role: HumanRole
  readonly content: Json
  readonly author: string | null
  /** The newest message of a person that the agent had received before this question, or answer in text alone. */
  readonly reply_to: string | null
  /** The next checkpoint, from which the conversation goes on with this message; `null` as long as there is none. */
  readonly checkpoint_id: string | null
  /** True for a question that is still open: to reply to it is to decide its hold. */
  readonly requires_response: boolean
  /** The hold that is asked about, answered, or that something happened to. */
  readonly hold_id: string | null
  readonly tool_calls: readonly MessageCall[] | null
  readonly tool_call_id: string | null
}

/** Rows of holds, by id; one that is gone leaves its question without words. */
export type HoldRows = ReadonlyMap<string, Pick<Hold, 'message' | 'agent'>>

export function humanThread(events: readonly JournalEvent[], rows: HoldRows): HumanMessage[] {
  const questions = new Map<string, string>()
  const heard = new HeardInput()
  const askers = new Map<string, string>()
  const open = stillOpen(events)
  const checkpoints = checkpointsBehind(events)
  return events.flatMap((event, index) => {
    const { kind, run_id } = event
    if (kind === 'run.started') askers.set(run_id, event.data.profile.agent)
    if (kind === 'hold.opened') questions.set(event.data.hold_id, idOf(event))
    const say = SAID[kind] as Sayer<EventKind>
    const agent = askers.get(run_id) ?? null
    heard.hear(event, idOf(event))
    const scene = { event, rows, agent, heard: heard.newest, questionOf: (hold: string) => questions.get(hold) ?? null }
    const { seq, at } = event
    const place = { id: idOf(event), seq, at, checkpoint_id: checkpoints[index] ?? null }
    return say(event.data as never, scene).map(part => ({
      ...{ ...NOTHING, ...place, requires_response: kind === 'hold.opened' && open.has(event.data.hold_id) },
      ...part,
    }))
  })
}

/** The holds that nothing has closed so far. */
function stillOpen(events: readonly JournalEvent[]): ReadonlySet<string> {
  const open = new Set<string>()
  for (const { kind, data } of events) {
    if (kind === 'hold.opened') open.add(data.hold_id)
    if (kind === 'hold.decided' || kind === 'hold.expired' || kind === 'hold.withdrawn') open.delete(data.hold_id)
  }
  return open
}

/** The first checkpoint after each event. */
function checkpointsBehind(events: readonly JournalEvent[]): (string | null)[] {
  const behind: (string | null)[] = []
  let next: string | null = null
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index]
    if (event?.kind === 'checkpoint.named') next = event.data.checkpoint_id
    behind[index] = next
  }
  return behind
}

/** The message that asked about a hold, as `humanThread` names it. */
export function idOf({ seq }: Pick<JournalEvent, 'seq'>): string {
  return `m${seq}`
}

interface Scene {
  readonly event: JournalEvent
  readonly rows: HoldRows
  /** The agent of the event's run; `null` if it was started elsewhere. */
  readonly agent: string | null
  /** The id of the newest message that the agent has received. */
  readonly heard: string | null
  readonly questionOf: (holdId: string) => string | null
}

type Part = Pick<HumanMessage, 'role' | 'content'> & Partial<HumanMessage>
type Sayer<K extends EventKind> = (data: Extract<JournalEvent, { kind: K }>['data'], scene: Scene) => readonly Part[]

const NOTHING = { author: null, reply_to: null, hold_id: null, tool_calls: null, tool_call_id: null }
const silent = (): readonly Part[] => []

const SAID: { readonly [K in EventKind]: Sayer<K> } = {
  'thread.forked': ({ thread_id }) => [system(`This thread was forked from ${thread_id}.`)],
  'run.started': silent,
  'run.configured': silent,
  'message.received': ({ content, author }) => [{ role: 'user', content: contentText(content), author }],
  'message.queued': ({ content, author }) => [{ role: 'user', content: contentText(content), author }],
  'message.delivered': silent,
  'cancel.requested': ({ by, reason }) => [system(`${by} cancelled the run${because(reason)}.`)],
  'phase.passed': silent,
  'plugin.set': silent,
  'step.started': silent,
  'model.answered': ({ text, parts, calls }, { agent: author, heard }) =>
    !saysSomething({ text, calls, ...(parts && { parts }) })
      ? []
      : [
          {
            role: 'assistant',
            content: answerText({ text, ...(parts && { parts }) }),
            author,
            tool_calls: calls.map(({ provider_id: _, ...call }) => call),
            ...(calls.length === 0 && { reply_to: heard }),
          },
        ],
  'answer.asked_again': ({ message }) => [system(`The model was asked again: ${message}`)],
  'model.unavailable': outage => (outage.failures === 1 ? [system(outageWords(outage))] : []),
  'model.switched': made => [system(switchWords(made))],
  'context.repaired': repair => [system(repairWords(repair))],
  'compaction.requested': wish => [system(requestedWords(wish))],
  'context.compacted': compaction => [system(compactionWords(compaction))],
  'call.gated': silent,
  'call.started': silent,
  'call.unclaimed': silent,
  'call.cut_off': silent,
  'call.finished': ({ call_id, output, parts, error }) => [
    {
      role: 'tool',
      content: resultInWords({ output: parts ? contentText(parts) : output, error }),
      tool_call_id: call_id,
    },
  ],
  'hold.opened': ({ hold_id, call_id }, { rows, agent, heard }) => [
    {
      role: 'agent_question',
      content: rows.get(hold_id)?.message ?? null,
      author: rows.get(hold_id)?.agent ?? agent,
      reply_to: heard,
      hold_id,
      tool_call_id: call_id,
    },
  ],
  'hold.decided': ({ hold_id, call_id, decision }, scene) => [response({ hold_id, call_id, decision }, scene)],
  'hold.voted': ({ hold_id, call_id, decision, have, need }, scene) => [
    response({ hold_id, call_id, decision }, scene),
    about(scene, hold_id, `${have} of ${need} people who must approve have approved.`),
  ],
  'hold.unclear': ({ hold_id, call_id, by, text }, scene) => [
    {
      role: 'human_response',
      content: text,
      author: by,
      reply_to: scene.questionOf(hold_id),
      hold_id,
      tool_call_id: call_id,
    },
    about(scene, hold_id, 'That is no clear yes or no, so the question stays open. Answer yes or no.'),
  ],
  'hold.assigned': ({ hold_id, assignee, by, reason }, scene) => [
    about(
      scene,
      hold_id,
      `${by} ${assignee === null ? 'assigned it to nobody' : `asked ${assignee}`}${because(reason)}.`,
    ),
  ],
  'hold.reminded': ({ hold_id, number, assignee }, scene) => [
    about(
      scene,
      hold_id,
      `Reminder ${number}: nobody has decided yet${assignee === null ? '' : `; ${assignee} is asked`}.`,
    ),
  ],
  'hold.escalated': ({ hold_id, level, assignee, due_at }, scene) => [
    about(scene, hold_id, `Nobody decided in time: escalated to ${assignee} (level ${level}), until ${due_at}.`),
  ],
  'hold.expired': ({ hold_id, decision, ends_run }, scene) => [
    about(
      scene,
      hold_id,
      `Nobody decided in time, so ${ends_run ? 'the run' : 'it'} was ${OUTCOMES[decision.verdict]}.`,
    ),
  ],
  'hold.withdrawn': ({ hold_id, because: why }, scene) => [
    about(scene, hold_id, `Nobody needs to decide any more: ${why}.`),
  ],
  'step.ended': silent,
  'checkpoint.named': silent,
  'run.ending': silent,
  'run.finished': ({ termination }) =>
    termination.type === 'natural_end' ? [] : [system(`The run ended: ${describeEnd(termination)}.`)],
  note: ({ message }) => [system(message)],
}

const OUTCOMES: Record<DecisionVerdict, string> = {
  approve: 'approved by itself',
  reject: 'rejected',
  cancel: 'cancelled',
  edit: 'approved by itself',
  respond: 'answered by itself',
}

function response(
  { hold_id, call_id, decision }: { hold_id: string; call_id: string | null; decision: Decision },
  { questionOf }: Scene,
): Part {
  return {
    role: 'human_response',
    content: saidInWords(decision),
    author: decision.decided_by,
    reply_to: questionOf(hold_id),
    hold_id,
    tool_call_id: call_id,
  }
}

function resultInWords({ output, error }: Pick<ToolCall, 'output' | 'error'>): Json {
  return error ? `${error.code}: ${error.message}` : output
}

function about({ event, questionOf }: Scene, hold_id: string, content: string): Part {
  return { ...system(content), id: `${idOf(event)}s`, hold_id, reply_to: questionOf(hold_id) }
}

function system(content: string): Part {
  return { role: 'system', content }
}

function because(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`
}
