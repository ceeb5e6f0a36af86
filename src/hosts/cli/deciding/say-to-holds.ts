import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { textError } from '../../outcome/text-report.ts'
import { actor } from '../../process/actor.ts'
import { holdNamed } from '../holds/named-hold.ts'
import {
  type HoldReply,
  type ReceiptHouse,
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

/** One request to decide, from the command line. */
export interface DecidingRequest {
  /** Ids of holds, or of their calls. */
  readonly names: readonly string[]
  /** Says something of the holds that were named; a receipt for each, in their order. */
  readonly decide: (holds: readonly Hold[], by: By, holdpoint: Holds) => Promise<readonly Receipt[]>
}

export function byIn({ env, given }: Pick<CommandContext, 'env' | 'given'>): By {
  const [decision_id, digest] = [given.value('decision-id'), given.value('digest')]
  const said = { ...(decision_id !== null && { decision_id }), ...(digest !== null && { digest }) }
  return { decided_by: actor(env), surface: 'cli', ...said }
}

/** A hold, or why there is none of that name. */
export type Named = { readonly hold: Hold } | { readonly error: RefusedError }

/** In their order; a hold that was named twice, by its id and by that of its call, comes once. */
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
    if (hold.kind === 'in_doubt' && hold.status === 'open' && hold.id !== name) throw inDoubt(name, hold)
    return { hold }
  } catch (thrown) {
    if (thrown instanceof RefusedError) return { error: thrown }
    throw thrown
  }
}

export async function sayTo(
  context: CommandContext,
  holdpoint: Holds,
  { found, decide }: Pick<DecidingRequest, 'decide'> & { readonly found: readonly Named[] },
): Promise<HoldReply[]> {
  const holds = found.flatMap(each => ('hold' in each ? [each.hold] : []))
  const receipts = holds.length > 0 ? [...(await decide(holds, byIn(context), holdpoint))] : []
  return found.map(each => ('hold' in each ? { receipt: receipts.shift() as Receipt } : each))
}

/** If one hold was named, its refusal is that of the command. If several were, each gets a line. */
export async function tellReceipts(
  context: CommandContext,
  app: ReceiptHouse,
  all: readonly HoldReply[],
): Promise<number> {
  const refusals = all.flatMap(said => refusalIn(said) ?? [])
  const [refusal] = refusals
  if (refusal && all.length === 1) throw refusal
  if (context.json) {
    const documents = await Promise.all(all.map(said => receiptDocument(app, said)))
    context.io.out(jsonLine(documents.length === 1 ? documents[0] : documents))
  } else await tellPeople(context, app, all)
  return refusal ? 2 : 0
}

/** Recorded decisions go to stdout, refused ones to stderr. */
export async function tellPeople(
  { io, given, server }: CommandContext,
  app: ReceiptHouse,
  all: readonly HoldReply[],
): Promise<void> {
  for (const said of all) {
    const refusal = refusalIn(said)
    if (refusal) io.err(textError(refusedDocument(refusal), io))
    else io.out(await receiptText(app, said, { at: placeFlags(given), isRemote: server !== undefined }))
  }
}

function inDoubt(name: string, { id }: Hold): RefusedError {
  return new RefusedError(
    'outcome_unknown',
    `Nobody knows whether ${JSON.stringify(name)} happened. That is another question than before, so it is decided by the id of its hold.`,
    {
      hint: `Look whether it happened, then say \`holdpoint answer ${id} --value JSON\` (it did), \`holdpoint approve ${id}\` (run it again) or \`holdpoint reject ${id}\` (it failed).`,
      details: { hold_id: id },
    },
  )
}
