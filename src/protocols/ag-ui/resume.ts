/**
 * The answers of a client as decisions. They are recorded together or not at all, and only on holds of this thread: the
 * client's own account of what it was asked counts for nothing.
 */
import { createHash } from 'node:crypto'
import { isOnRecord, type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import { unknownHold } from '../../core/deciding/unknown-hold.ts'
import { RefusedError } from '../../core/errors.ts'
import { answerValue } from '../../core/hold/answer-value.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { canonicalJson, type Json } from '../../core/text/json.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { deciderOf } from '../http/gate.ts'
import { SURFACE } from './ag-ui-deps.ts'
import { decisionOf } from './interrupt.ts'
import type { PostedMessage, ResumeEntry, RunInput } from './run-input.ts'
import type { Waiting } from './waiting.ts'

export interface Resumption {
  readonly threadId: string
  readonly input: RunInput
  readonly waiting: Waiting
  /** The caller, who signs. */
  readonly by: Signer
}

type Signer = ReturnType<typeof deciderOf>
type Face = Pick<Holdpoint, 'hold' | 'decideMany'>

/** True if the request answers something that waits, or waited. */
export function answersSomething({ input, waiting }: Pick<Resumption, 'input' | 'waiting'>): boolean {
  return input.resume.length > 0 || resultsIn(input, waiting).length > 0
}

/** Answers that are sent again change nothing. @throws RefusedError; then nothing was recorded. */
export async function resume(holdpoint: Face, resumption: Resumption): Promise<void> {
  const { threadId, input, waiting, by } = resumption
  const asked = await Promise.all(
    input.resume.map(async entry => ({ entry, hold: await askedIn(holdpoint, threadId, entry) })),
  )
  const answers = asked.map(({ entry, hold }) => answerOf(hold, entry, by))
  if (asked.every(({ hold }, index) => hold.decision?.decision_id === answers[index]?.decision_id) && asked.length > 0)
    return
  // A decision made elsewhere has precedence: this client has to learn that it is too late.
  if (asked.every(({ hold }) => hold.status === 'open')) refuseUncovered(waiting, input)
  const results = resultsIn(input, waiting).map(([hold, message]) => resultOf(hold, message, by))
  refuseBroken(await holdpoint.decideMany([...answers, ...results], { all: true }))
}

/** @throws RefusedError `interrupt_pending` */
export function refuseUncovered({ interrupts }: Waiting, { resume: entries }: Pick<RunInput, 'resume'>): void {
  const answered = new Set(entries.map(({ interruptId }) => interruptId))
  const left = interrupts.filter(({ id }) => !answered.has(id))
  if (left.length === 0) return
  const ids = left.map(({ id }) => id).join(', ')
  throw new RefusedError(
    'interrupt_pending',
    `The thread waits for ${left.length === 1 ? 'an answer' : `${left.length} answers`} that this run does not give: ${ids}. Nothing was done.`,
    { hint: 'Answer each open interrupt with one entry of `resume`.' },
  )
}

/** A hold of this thread. @throws RefusedError `unknown_hold` */
async function askedIn(holdpoint: Face, threadId: string, { interruptId }: ResumeEntry): Promise<Hold> {
  const hold = await holdpoint.hold(interruptId)
  if (hold?.thread_id !== threadId) throw unknownHold(interruptId)
  return hold
}

function answerOf(hold: Hold, entry: ResumeEntry, by: Signer): DecisionInput {
  const said = decisionOf(hold, entry)
  if (said === null) throw misfit(hold)
  const decision_id = keyOf({ id: hold.id, by: by.decided_by, status: entry.status, payload: entry.payload })
  return { hold_id: hold.id, ...said, decision_id, ...by, surface: SURFACE }
}

/** The results that the client posts of calls which wait for them. */
function resultsIn(
  { messages }: Pick<RunInput, 'messages'>,
  { calls }: Waiting,
): readonly (readonly [Hold, PostedMessage])[] {
  return calls.flatMap(hold => {
    const message = messages.findLast(({ role, toolCallId }) => role === 'tool' && toolCallId === hold.call_id)
    return message ? [[hold, message] as const] : []
  })
}

/** A tool may say nothing, and an answer may not. */
const NO_OUTPUT = '(no output)'

function resultOf(hold: Hold, { id, content, error }: PostedMessage, by: Signer): DecisionInput {
  const decision_id = keyOf({ id: hold.id, by: by.decided_by, message: id })
  const signed = { hold_id: hold.id, decision_id, input_id: id, ...by, surface: SURFACE }
  if (error !== null) return { ...signed, verdict: 'reject', reason: error }
  const given = typeof content === 'string' ? answerValue(content, hold) : content
  return { ...signed, verdict: 'respond', value: given === '' || given === null ? NO_OUTPUT : given }
}

/** Equal answers have equal keys, so that an answer counts once however often it is sent. */
function keyOf(answer: Json): string {
  return `${SURFACE}:${createHash('sha256').update(canonicalJson(answer)).digest('hex')}`
}

function refuseBroken(receipts: readonly Receipt[]): void {
  for (const receipt of receipts) if (!isOnRecord(receipt)) throw receiptRefusal(receipt)
}

function misfit({ id, kind }: Hold): RefusedError {
  return new RefusedError('invalid_answer', `The payload for ${id} is no answer to a hold of kind ${kind}.`, {
    hint: 'Nothing was recorded; the hold stays open. Send what the responseSchema of its interrupt asks for.',
  })
}
