/**
 * Interrupts as calls that wait for people, and their results as the values that graphs resume with. A question without
 * an answer has no value: graphs take almost anything for a yes.
 */
import type { ToolMessage } from '../core/journal/message.ts'
import { resultIn } from '../core/journal/tool-message.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject } from '../core/text/json.ts'
import { asObject, type PendingInterrupt } from './interrupted.ts'

export const REVIEW_ACTION = 'review_action'
const ASK_HUMAN = 'ask_human'

/** A call that waits for a person. */
export interface Ask {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

/** A decision on an ask: `null` if there is none to give to the graph. */
export type GivenAnswer =
  | { readonly approved: JsonObject }
  | { readonly rejected: string }
  | { readonly answer: Json }
  | null

/** One interrupt: its questions, and the value that the graph gets. */
interface Asking {
  readonly asks: readonly Ask[]
  /** Takes one for each ask, in their order. */
  value(answers: readonly NonNullable<GivenAnswer>[]): Json
}

export function asksOf(interrupts: readonly PendingInterrupt[]): readonly Ask[] {
  return interrupts.flatMap(interrupt => askingOf(interrupt).asks)
}

/** The values to resume with, by the id of the interrupt; `null` if one of the asks has no decision. */
export function resumeValues(
  interrupts: readonly PendingInterrupt[],
  answers: readonly GivenAnswer[],
): JsonObject | null {
  const left = [...answers]
  const values: Record<string, Json> = {}
  for (const interrupt of interrupts) {
    const { asks, value } = askingOf(interrupt)
    const own = left.splice(0, asks.length).filter(each => each !== null)
    if (own.length < asks.length) return null
    values[interrupt.id] = value(own)
  }
  return values
}

/** Only a rejection and an answer are decisions: a failed or cancelled call is none. */
export function answerIn(message: ToolMessage): GivenAnswer {
  const result = resultIn(message)
  if (message.tool_name !== REVIEW_ACTION) return message.is_error ? null : { answer: result }
  return message.is_error ? rejectionIn(result) : { approved: asObject(result) }
}

const REJECTED = 'TOOL_CALL_REJECTED: '

function rejectionIn(content: Json): GivenAnswer {
  return typeof content === 'string' && content.startsWith(REJECTED)
    ? { rejected: content.slice(REJECTED.length) }
    : null
}

function askingOf(interrupt: PendingInterrupt): Asking {
  return middlewareRequest(interrupt) ?? humanInterrupt(interrupt) ?? question(interrupt)
}

/** The request of `humanInTheLoopMiddleware` of LangChain: some actions, each to be decided. */
function middlewareRequest({ id, value }: PendingInterrupt): Asking | null {
  const { actionRequests, reviewConfigs } = asObject(value)
  if (!isListOf(actionRequests, isAction)) return null
  const mayEdit = (name: Json | undefined) =>
    listOf(reviewConfigs).some(
      config => config['actionName'] === name && listed(config['allowedDecisions']).includes('edit'),
    )
  return {
    asks: actionRequests.map(({ name, args, description }, n) => review(`${id}_${n}`, name, { args, description })),
    value: answers => ({
      decisions: answers.map((each, n) => {
        const { name, args = {} } = actionRequests[n] ?? {}
        return middlewareDecision(each, { name: name ?? null, args, mayEdit: mayEdit(name) })
      }),
    }),
  }
}

interface Action {
  readonly name: Json
  readonly args: Json
  readonly mayEdit: boolean
}

function middlewareDecision(answer: NonNullable<GivenAnswer>, { name, args, mayEdit }: Action): JsonObject {
  if ('rejected' in answer) return { type: 'reject', message: answer.rejected }
  if (!('approved' in answer)) return { type: 'reject', message: 'It was not approved.' }
  const { action = null, args: approved = {} } = answer.approved
  if (action === name && isSameJson(approved, args)) return { type: 'approve' }
  if (!mayEdit) return { type: 'reject', message: 'It was approved with changes, and it allows none.' }
  return { type: 'edit', editedAction: { name: action, args: approved } }
}

/** The older `HumanInterrupt`, one or a list of one. Its answer is a list either way. */
function humanInterrupt({ id, value }: PendingInterrupt): Asking | null {
  const request = asObject(Array.isArray(value) ? value[0] : value)
  const { action, args = {} } = asObject(request['action_request'])
  if (typeof action !== 'string' || (Array.isArray(value) && value.length !== 1)) return null
  const allows = asObject(request['config'])
  return {
    asks: [review(id, action, { args, description: request['description'] })],
    value: ([answer]) => [
      humanResponse(answer, { name: action, args, mayEdit: allows['allow_edit'] === true }, allows),
    ],
  }
}

function humanResponse(
  answer: GivenAnswer | undefined,
  { name, args, mayEdit }: Action,
  allows: JsonObject,
): JsonObject {
  if (answer && 'approved' in answer) {
    const { action = null, args: approved = {} } = answer.approved
    if (action === name && isSameJson(approved, args)) return { type: 'accept', args: null }
    if (mayEdit) return { type: 'edit', args: { action, args: approved } }
  }
  const reason = answer && 'rejected' in answer ? answer.rejected : 'It was approved with changes, and it allows none.'
  return allows['allow_respond'] === true ? { type: 'response', args: reason } : { type: 'ignore', args: null }
}

function review(id: string, action: Json | undefined, { args = {}, description }: Partial<JsonObject>): Ask {
  const words = typeof description === 'string' && description !== '' ? { description } : {}
  return { id, name: REVIEW_ACTION, args: { action: action ?? null, args, ...words } }
}

/** The text of a question, by the names that graphs use for it. */
const TEXTS = ['question', 'message', 'prompt', 'description'] as const

function question({ id, value, response_schema }: PendingInterrupt): Asking {
  const fields = asObject(value)
  const text = typeof value === 'string' ? value : TEXTS.map(name => fields[name]).find(isText)
  const choices = [fields['choices'], fields['options']].find(given => isListOf(given, isText) && areDifferent(given))
  const args = {
    question: text || 'The graph waits for a value.',
    ...(typeof value !== 'string' && { context: value }),
    ...(choices && { choices }),
    ...(response_schema && { schema: response_schema }),
  }
  return {
    asks: [{ id, name: ASK_HUMAN, args }],
    value: ([answer]) => (answer && 'answer' in answer ? answer.answer : null),
  }
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function isAction(value: Json): value is JsonObject {
  return isJsonObject(value) && isText(value['name'])
}

function areDifferent(values: readonly Json[]): boolean {
  return new Set(values).size === values.length
}

function isListOf<T extends Json>(value: Json | undefined, is: (one: Json) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.length > 0 && value.every(is)
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return listed(value).filter(isJsonObject)
}

function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
