/**
 * Asks the person at the terminal about a hold that stands there in full. Keeps: nothing is preselected, an empty line
 * decides nothing, keys from before the question do not count, and a decision is for what was drawn (P9).
 */
import type { Receipt } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { SAYS_NEVER } from '../../core/hold-view/hold-words.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Holds } from '../../runtime/face/holds.ts'
import { askLine } from '../display/ask-line.ts'
import { padColumns } from '../display/table.ts'
import { errorDocument } from '../outcome/outcome-document.ts'
import { textError } from '../outcome/text-report.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { editByHand } from './edit-hold.ts'
import { offered, prompt, type Reply, readReply } from './hold-reply.ts'

export interface AskSite {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly holdpoint: Holds
}

/** False if it is left for later, or others must decide too. */
export async function askAboutHold(hold: Hold, site: AskSite): Promise<boolean> {
  site.io.out(question(hold))
  for (;;) {
    const reply = await replyTo(hold, site.io)
    if (reply === null) return false
    const receipt = await decided(hold, reply, site)
    const isSettled = receipt && (await tell(receipt, hold, site))
    if (isSettled !== null) return isSettled
  }
}

function question(hold: Hold): string {
  const name = visibleLine([hold.call_id ?? hold.id, hold.tool ?? ''].join(' ').trim())
  const ways = padColumns(offered(hold).map(pair => pair.map(visibleLine)))
  const never = hold.overrides_never ? `  ${SAYS_NEVER}\n` : ''
  return `${name}:\n${never}${ways.map(way => `  ${way.join('  ').trimEnd()}\n`).join('')}`
}

type Deciding = Exclude<Reply, { do: 'later' | 'unclear' }>

/** `null` if it is left for later. */
async function replyTo(hold: Hold, io: Io): Promise<Deciding | null> {
  for (;;) {
    const line = await askLine(prompt(hold))
    if (line === null) io.out('\n')
    const reply: Reply = line === null ? { do: 'later' } : readReply(hold, line)
    if (reply.do === 'later') return null
    if (reply.do !== 'unclear') return reply
    io.out(`${visibleLine(reply.problem)}\n`)
  }
}

/** `null` if an edit changed nothing. */
async function decided(hold: Hold, reply: Deciding, site: AskSite): Promise<Receipt | null> {
  const by = { decided_by: actor(site.env), surface: 'cli' }
  const decide: Decide = input => site.holdpoint.decide(hold.id, { ...input, ...by, digest: hold.digest })
  try {
    if (reply.do === 'answer') return await site.holdpoint.answer(hold.id, { text: reply.text, ...by })
    if (reply.do === 'edit')
      return await editByHand(hold, { ...site, decide: args => decide({ verdict: 'edit', arguments: args }) })
    const { do: verdict, ...rest } = reply
    return await decide({ verdict, ...rest })
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    return { outcome: 'refused', hold, error: thrown }
  }
}

type Decide = (input: Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason'>) => Promise<Receipt>

/** True if the hold is closed; `null` if the person may try again. Of two approvers the second is told who was first. */
async function tell(receipt: Receipt, { id }: Hold, { io, holdpoint }: AskSite): Promise<boolean | null> {
  const refusal = refusalIn(receipt)
  if (refusal) io.err(textError(errorDocument(refusal, { outcome: 'refused' })))
  const isOpen = (await holdpoint.hold(id))?.status === 'open'
  if (!isOpen) return true
  if (refusal) return null
  io.out('Recorded. More people must approve it.\n')
  return false
}

function refusalIn(receipt: Receipt): RefusedError | null {
  if (receipt.outcome === 'refused') return receipt.error
  return receipt.outcome === 'already_decided' ? alreadyDecided(receipt.hold.id, receipt.winner) : null
}
