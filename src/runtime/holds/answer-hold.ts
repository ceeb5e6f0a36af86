import type { Receipt } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import { ANYTHING, checkFields } from '../../core/given-fields.ts'
import { answerValue } from '../../core/hold/answer-value.ts'
import { readApprovalAnswer } from '../../core/hold/approval-answer.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold, HoldKind } from '../../core/hold/hold.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import type { Content } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { type MessageContent, messageContent } from '../views/message-content.ts'
import { profileOf } from '../views/profile-of.ts'
import { decideHolds } from './decide-holds.ts'
import { answerIn, holdNow } from './ready-decisions.ts'
import { recordRefusals } from './record-refusals.ts'

/** An answer as text or parts, and the signature of the surface that took it in. */
export type Answer = Pick<DecisionInput, 'decided_by' | 'member_of' | 'surface' | 'decision_id' | 'digest' | 'level'> &
  MessageContent

/** The message and the decision have rules of their own. */
const ANSWER = {
  ...{ text: ANYTHING, parts: ANYTHING },
  ...{
    decided_by: ANYTHING,
    member_of: ANYTHING,
    surface: ANYTHING,
    decision_id: ANYTHING,
    digest: ANYTHING,
    level: ANYTHING,
  },
}

interface GivenAnswer extends Omit<Answer, 'text' | 'parts'>, Pick<DecisionInput, 'input_id'> {
  readonly content: Content
}

/**
 * Takes a text as the decision on a hold: the answer to a question, a yes or no to an approval. The content of an
 * answer never makes it throw. An unclear answer leaves the hold open, and the thread records it.
 */
export async function answerHold(runtime: Runtime, holdId: string, given: Answer): Promise<Receipt> {
  const { text, parts, ...by } = given
  try {
    checkFields('answer', given, ANSWER)
    return await answerWith(runtime, holdId, { content: parts ? messageContent(runtime, given) : (text ?? ''), ...by })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    const hold = await runtime.store.hold(holdId)
    return refused(runtime, { ...by, content: text ?? '' }, { hold, error: thrown })
  }
}

/** Like `answerHold`, for an answer that was read already. */
export async function answerWith(runtime: Runtime, holdId: string, answer: GivenAnswer): Promise<Receipt> {
  const hold = await holdNow(runtime, holdId)
  const { content, ...by } = answer
  const reading = hold ? await READERS[hold.kind](runtime, hold, content) : RESPOND(content)
  if (reading instanceof RefusedError) return refused(runtime, answer, { hold, error: reading })
  if (reading.verdict === 'unclear') return notice(runtime, hold as Hold, answer)
  return decided(runtime, { hold_id: holdId, ...reading, verdict: reading.verdict, ...by })
}

async function decided(runtime: Runtime, input: DecisionInput): Promise<Receipt> {
  const [receipt] = await decideHolds(runtime, [input])
  return receipt as Receipt
}

type ReadAnswer = Pick<DecisionInput, 'value' | 'parts' | 'reason'> & {
  readonly verdict: DecisionInput['verdict'] | 'unclear'
}
type Reader = (runtime: Runtime, hold: Hold, content: Content) => Promise<ReadAnswer | RefusedError>

const RESPOND = (content: Content): ReadAnswer => ({ verdict: 'respond', ...answerIn(content) })

const respond: Reader = async (_, hold, content) =>
  typeof content === 'string' ? { verdict: 'respond', value: answerValue(content, hold) } : RESPOND(content)

const READERS: Record<HoldKind, Reader> = {
  approval: async (runtime, { thread_id }, content) =>
    // Only plain words approve or reject: an answer with an image is unclear.
    typeof content === 'string'
      ? readApprovalAnswer(content, (await profileOf(runtime, thread_id)).approval_answers)
      : { verdict: 'unclear' },
  question: respond,
  client_tool: respond,
  input: respond,
  // "Yes" may mean that it happened, or that it may run again.
  in_doubt: async (_, hold) => holdRefusals.needsVerdict(hold.call_id, hold.id),
}

async function notice(runtime: Runtime, hold: Hold, answer: GivenAnswer): Promise<Receipt> {
  const { decided_by: by, member_of, surface } = answer
  const signed = { decided_by: by, ...(member_of && { member_of }) }
  const text = contentText(answer.content)
  const { id: hold_id, run_id, call_id } = hold
  const isOpen = hold.status === 'open'
  const objection = isOpen ? objectionToDecider(hold, { verdict: 'approve', ...signed }) : null
  if (objection) return refused(runtime, answer, { hold, error: objection })
  const data = { hold_id, call_id, by, surface, text: text.slice(0, LONGEST_NOTICE) }
  const [open] = await runtime.store.amend([{ hold_id, event: { kind: 'hold.unclear', run_id, data }, seen: null }])
  // The hold is closed and cannot be decided again: the person learns who or what was first.
  if (!open) return decided(runtime, { hold_id, verdict: 'reject', ...signed, surface })
  return { outcome: 'refused', hold, error: holdRefusals.unclear(text.slice(0, 200), hold.id) }
}

/** No other record mentions the answer. */
async function refused(
  runtime: Runtime,
  answer: GivenAnswer,
  why: { readonly hold: Hold | null; readonly error: RefusedError },
): Promise<Receipt> {
  const { content: _, ...by } = answer
  const receipt: Receipt = { outcome: 'refused', ...why }
  await recordRefusals(runtime, [{ ...by, hold_id: why.hold?.id ?? '', verdict: 'respond' }], [receipt])
  return receipt
}

const LONGEST_NOTICE = 4_000
