/**
 * Asks the person at the terminal about a hold that is on the screen in full.
 * Keeps: nothing is preselected, an empty line decides nothing, keys from before the question do not count, and a
 * decision is for what was drawn (P9).
 */
import { type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Holds } from '../../runtime/face/holds.ts'
import { askLine } from '../display/ask-line.ts'
import { paintFor } from '../display/screen.ts'
import { errorDocument } from '../outcome/outcome-document.ts'
import { textError } from '../outcome/report-style.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { editByHand } from './edit-hold.ts'
import { questionText, whyNot } from './hold-question.ts'
import { prompt, type Reply, readReply } from './hold-reply.ts'

export interface AskDeps {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly holdpoint: Holds
  /** Other holds are asked about here too. */
  readonly isOneOfMany?: boolean
  /** Default: true. False if not all of the hold is on the screen. */
  readonly isSeen?: boolean
  /** Leaves what is asked for later. */
  readonly signal?: AbortSignal
}

/** False if it is left for later, or others must decide too. */
export async function askAboutHold(hold: Hold, site: AskDeps): Promise<boolean> {
  askWays(hold, site)
  for (;;) {
    const reply = await replyTo(hold, site)
    if (reply === null) return false
    const receipt = await decideAsReplied(hold, reply, site)
    const isSettled = receipt && (await tell(receipt, hold, site))
    if (isSettled !== null) return isSettled
  }
}

/** A clear reply of the person at the terminal. */
export type Deciding = Exclude<Reply, { do: 'later' | 'unclear' }>

type Replying = Pick<AskDeps, 'io' | 'env' | 'isOneOfMany' | 'isSeen' | 'signal'>

/** The reply to a hold, without a decision yet; `null` if it is left for later. */
export async function askForReply(hold: Hold, site: Replying): Promise<Deciding | null> {
  askWays(hold, site)
  return replyTo(hold, site)
}

function askWays(hold: Hold, { io, env, isOneOfMany = false, isSeen = true }: Replying): void {
  const asked = { person: actor(env), now: systemClock.now(), width: io.width(), isOneOfMany, isSeen }
  io.out(questionText(hold, asked, paintFor({ io, env })))
}

/** A rejection without a reason is asked for it. */
async function replyTo(hold: Hold, site: Replying): Promise<Deciding | null> {
  const reply = await clearReply({ ...hold, laterOnly: whyNot(hold, actor(site.env))?.isAll ?? false }, site)
  return reply?.do === 'reject' && reply.reason === null ? withReason(site) : reply
}

/** `null` if it is left for later. */
async function clearReply(
  hold: Hold & { readonly laterOnly: boolean },
  { io, signal }: Replying,
): Promise<Deciding | null> {
  for (;;) {
    const line = await askLine(prompt(hold), signal)
    if (line === null) io.out('\n')
    const reply: Reply = line === null ? { do: 'later' } : readReply(hold, line)
    if (reply.do === 'later') return null
    if (reply.do !== 'unclear') return reply
    io.out(`${visibleLine(reply.problem)}\n`)
  }
}

/** A rejection with the reason that is typed now; `null` if the person leaves instead: nothing is decided then. */
async function withReason({ io, signal }: Replying): Promise<Deciding | null> {
  const line = await askLine('why? (Enter for none): ', signal)
  if (line === null) io.out('\n')
  return line === null ? null : { do: 'reject', reason: line.trim() || null }
}

/** `along` is added to an approval, also of other arguments. `null` if an edit changed nothing. */
export async function decideAsReplied(
  hold: Hold,
  reply: Deciding,
  { along = {}, ...site }: DecideDeps,
): Promise<Receipt | null> {
  const by = site.by ?? { decided_by: actor(site.env), surface: 'cli' }
  const decide: Decide = input => site.holdpoint.decide(hold.id, { ...input, ...by, digest: hold.digest })
  try {
    if (reply.do === 'answer') return await site.holdpoint.answer(hold.id, { text: reply.text, ...by })
    if (reply.do === 'edit')
      return await editByHand(hold, { ...site, decide: args => decide({ verdict: 'edit', arguments: args, ...along }) })
    const { do: verdict, ...rest } = reply
    return await decide({ verdict, ...rest, ...(verdict === 'approve' ? along : {}) })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    return { outcome: 'refused', hold, error: thrown }
  }
}

interface DecideDeps extends AskDeps {
  readonly by?: Pick<DecisionInput, 'decided_by' | 'surface' | 'decision_id'>
  readonly along?: Pick<DecisionInput, 'reason' | 'grant'>
}

type Decide = (input: Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason'>) => Promise<Receipt>

/** True if the hold is closed; `null` if the person may try again. The second of two approvers reads who was first. */
async function tell(receipt: Receipt, { id }: Hold, { io, holdpoint }: AskDeps): Promise<boolean | null> {
  const refusal = receiptRefusal(receipt)
  if (refusal) io.err(textError(errorDocument(refusal, { outcome: 'refused' }), io))
  const isOpen = (await holdpoint.hold(id))?.status === 'open'
  if (!isOpen) return true
  if (refusal) return null
  io.out('Recorded. More people must approve it.\n')
  return false
}
