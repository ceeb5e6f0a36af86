import { type Ended, togetherOrEach } from '../../async/together-or-each.ts'
import { notRecorded } from '../../core/deciding/not-recorded.ts'
import { isOnRecord, type ReadyDecision, type Receipt } from '../../core/deciding/receipt.ts'
import { messageOf } from '../../core/errors.ts'
import { A_FLAG, checkFields, checkValue } from '../../core/given-fields.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { isOfStore } from '../../core/store-write.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { type Checked, readyDecision } from './ready-decisions.ts'
import { recordRefusals } from './record-refusals.ts'

/** The options of `decideMany`. */
export interface DecideOptions {
  /** All or none: if one cannot be recorded, nothing is, and the receipts of the others are left out. */
  readonly all?: boolean
}

/**
 * Gives receipts in the order of `given` (P2). Each decision is independent: this throws only if none could be tried,
 * and never after one was recorded.
 */
export async function decideHolds(
  runtime: Runtime,
  given: readonly DecisionInput[],
  options: DecideOptions = {},
): Promise<readonly Receipt[]> {
  const { all = false } = checkFields('The second argument of decideMany', options, { all: A_FLAG })
  const inputs = checkValue('decideMany', given, ['a list of decisions', Array.isArray])
  return all ? decideAll(runtime, inputs) : decideEach(runtime, inputs)
}

/** Records all decisions in one transaction. */
async function decideAll(runtime: Runtime, inputs: readonly DecisionInput[]): Promise<readonly Receipt[]> {
  const checked = await Promise.all(inputs.map(each => readyDecision(runtime, each)))
  const refusals = checked.map(each => (each.ok ? null : each.receipt))
  if (refusals.some(refusal => refusal !== null)) return refused(runtime, inputs, refusals)
  const ready = checked.flatMap(each => (each.ok ? [each.decision] : []))
  const receipts = ready.length > 0 ? await runtime.store.decide(ready, { all: true }) : []
  return receipts.every(isOnRecord) ? receipts : refused(runtime, inputs, receipts.map(unrecorded))
}

async function decideEach(runtime: Runtime, inputs: readonly DecisionInput[]): Promise<readonly Receipt[]> {
  const checked = await Promise.all(inputs.map(each => ended(readyDecision(runtime, each))))
  const ready = checked.flatMap(each => ('result' in each && each.result.ok ? [each.result.decision] : []))
  const recorded = await recordEach(runtime, ready)
  const ends = checked.map(each => ('result' in each ? endOf(each.result, recorded) : each))
  const failed = ends.filter(end => 'thrown' in end)
  if (failed[0] && failed.length === ends.length) throw failed[0].thrown
  const receipts = ends.map((end, place) =>
    'result' in end ? end.result : notRecorded(String(inputs[place]?.hold_id), end.thrown),
  )
  await recordRefused(runtime, inputs, receipts)
  return receipts
}

/** In one transaction, if none of them fails it for the others. */
function recordEach({ store }: Runtime, ready: readonly ReadyDecision[]): Promise<Ended<Receipt>[]> {
  return togetherOrEach(ready, { act: decisions => store.decide(decisions), isOfAll: isOfStore })
}

/** Takes the next of `recorded` for a decision that was ready. */
function endOf(checked: Checked, recorded: Ended<Receipt>[]): Ended<Receipt> {
  return checked.ok ? (recorded.shift() as Ended<Receipt>) : { result: checked.receipt }
}

async function ended<T>(work: Promise<T>): Promise<Ended<T>> {
  try {
    return { result: await work }
  } catch (thrown) {
    return { thrown }
  }
}

/** Recorded decisions are reported even if the refusals of others cannot be recorded. */
async function recordRefused(
  runtime: Runtime,
  decisions: readonly DecisionInput[],
  receipts: readonly Receipt[],
): Promise<void> {
  try {
    await recordRefusals(runtime, decisions, receipts)
  } catch (thrown) {
    if (!receipts.some(isOnRecord)) throw thrown
    process.emitWarning(`Refused decisions could not be put on record: ${messageOf(thrown)}`)
  }
}

type Lacking = Receipt | null

async function refused(
  runtime: Runtime,
  decisions: readonly DecisionInput[],
  receipts: readonly Lacking[],
): Promise<readonly Receipt[]> {
  await recordRefusals(runtime, decisions, receipts)
  return receipts.filter(receipt => receipt !== null)
}

function unrecorded(receipt: Receipt): Lacking {
  return isOnRecord(receipt) ? null : receipt
}
