import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { holdLine } from '../../../core/hold-view/hold-row.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import { askForReply, type Deciding } from '../../asking/ask-about-hold.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { askLine, canAsk } from '../../display/ask-line.ts'
import { cutLine } from '../../display/cut-line.ts'
import { padColumns } from '../../display/table.ts'
import { textError } from '../../outcome/report-style.ts'
import { actor } from '../../process/actor.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { holdNamed } from '../holds/hold-filter.ts'
import { showHold } from '../holds/hold-text.ts'
import { openForReading } from '../open-for-reading.ts'
import {
  type HoldReply,
  type ReceiptDeps,
  receiptDocument,
  receiptText,
  refusalIn,
  refusedDocument,
} from './decision-receipt.ts'

/** The decider, and the surface. */
export interface By {
  readonly decided_by: string
  readonly surface: string
  readonly decision_id?: string
  readonly digest?: string
}

/** A request of the command line to decide. */
export interface DecidingRequest {
  /** Ids of holds, or of their calls. */
  readonly names: readonly string[]
  /** Decides the named holds; a receipt for each, in their order. */
  readonly decide: (holds: readonly Hold[], by: By, holdpoint: Holds) => Promise<readonly Receipt[]>
}

export function byIn({ env, given }: Pick<CommandContext, 'env' | 'given'>): By {
  const [decision_id, digest] = [given.value('decision-id'), given.value('digest')]
  const decision = { ...(decision_id !== null && { decision_id }), ...(digest !== null && { digest }) }
  return { decided_by: actor(env), surface: 'cli', ...decision }
}

/** A hold, or why there is none of that name. */
export type Named = { readonly hold: Hold } | { readonly error: RefusedError }

/** Holds in the order of their names. A hold that was named twice, by its id and by that of its call, is there once. */
export async function namedHolds(holdpoint: Holdpoint, names: readonly string[]): Promise<Named[]> {
  const found = await Promise.all([...new Set(names)].map(name => named(holdpoint, name)))
  const ids = new Set<string>()
  return found.filter(each => {
    if ('error' in each) return true
    const isFirst = !ids.has(each.hold.id)
    ids.add(each.hold.id)
    return isFirst
  })
}

async function named(holdpoint: Holdpoint, word: string): Promise<Named> {
  try {
    const name = await fullId(holdpoint, word)
    const hold = await holdNamed(holdpoint, name)
    // P3: an approver who repeats an earlier decision has not seen that the call is in doubt now.
    if (hold.kind === 'in_doubt' && hold.status === 'open' && hold.id !== name)
      throw decidingRefusals.inDoubt(name, hold.id)
    return { hold }
  } catch (thrown) {
    if (thrown instanceof RefusedError) return { error: thrown }
    throw thrown
  }
}

export async function sayTo(
  context: CommandContext,
  holdpoint: Holds,
  { found: named, decide }: Pick<DecidingRequest, 'decide'> & { readonly found: readonly Named[] },
): Promise<HoldReply[]> {
  const holds = named.flatMap(each => ('hold' in each ? [each.hold] : []))
  const receipts = holds.length > 0 ? [...(await decide(holds, byIn(context), holdpoint))] : []
  return named.map(each => ('hold' in each ? { receipt: receipts.shift() as Receipt } : each))
}

/** If one hold was named, its refusal is that of the command. If several were, each gets a line. */
export async function tellReceipts(
  context: CommandContext,
  app: ReceiptDeps,
  all: readonly HoldReply[],
): Promise<number> {
  const refusals = all.flatMap(decision => refusalIn(decision) ?? [])
  const [refusal] = refusals
  if (refusal && all.length === 1) throw refusal
  if (context.json) {
    const documents = await Promise.all(all.map(decision => receiptDocument(app, decision)))
    context.io.out(jsonLine(documents.length === 1 ? documents[0] : documents))
  } else await tellPeople(context, app, all)
  return refusal ? 2 : 0
}

/** Recorded decisions go to stdout, refused ones to stderr. */
export async function tellPeople(
  { io, given, server }: CommandContext,
  app: ReceiptDeps,
  all: readonly HoldReply[],
): Promise<void> {
  for (const decision of all) {
    const refusal = refusalIn(decision)
    if (refusal) io.err(textError(refusedDocument(refusal), io))
    else io.out(await receiptText(app, decision, { at: placeFlags(given), isRemote: server !== undefined }))
  }
}

const MOST_LISTED = 10

/** A hold as a person was shown it, and the reply to it; `null` if it is left for later. */
interface Answered {
  readonly hold: Hold
  readonly reply: Deciding | null
}

/**
 * The hold that an approval without a name is for: the only one, or the one that the person picks from a list. P9: it is
 * shown in full first, and asked about as a run asks. @throws RefusedError if there is none, or no person to ask.
 */
export async function answeredHold(context: CommandContext): Promise<Answered | null> {
  await using app = await openForReading(context)
  const open = await app.holdpoint.holds({ status: 'open' })
  const holds = open.filter(({ kind }) => kind === 'approval')
  if (holds.length === 0)
    throw decidingRefusals.nothingToApprove(open.length === 0 ? 'Nothing waits' : 'No call waits for approval')
  if (context.json || !canAsk(context.io)) {
    const listed = holds.slice(0, MOST_LISTED).map(({ id }) => id)
    throw decidingRefusals.approveWhat(holds.length, listed)
  }
  const hold = await picked(context, holds)
  if (hold === null) return null
  const isSeen = await showHold(context, app.holdpoint, hold)
  return { hold, reply: await askForReply(hold, { ...context, isSeen }) }
}

/** `null` if the person picks none. */
async function picked({ io }: CommandContext, holds: readonly Hold[]): Promise<Hold | null> {
  if (holds.length === 1) return holds[0] ?? null
  const rows = holds.map((hold, index) => [`${index + 1}`, hold.agent, hold.tool ?? '', holdLine(hold).summary])
  const lines = padColumns(rows.map(cells => cells.map(visibleLine)))
  io.out(lines.map(cells => `${cutLine(cells.join('  '), io.width())}\n`).join(''))
  return pickedBy(io, holds)
}

async function pickedBy(io: CommandContext['io'], holds: readonly Hold[]): Promise<Hold | null> {
  for (;;) {
    const word = (await askLine(`Which one? 1 to ${holds.length}, or nothing for none: `))?.trim() ?? ''
    if (word === '') return null
    const hold = /^\d+$/.test(word) ? holds[Number(word) - 1] : undefined
    if (hold) return hold
    io.out(`There is no ${visibleLine(word)} in the list.\n`)
  }
}
