import type { Receipt } from '../../core/deciding/receipt.ts'
import { A_FLAG, checkFields, checkValue } from '../../core/given-fields.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { readyDecision } from './ready-decisions.ts'
import { recordRefusals } from './record-refusals.ts'

export interface DecideOptions {
  /** All or none: if one cannot be recorded, nothing is, and the receipts of the others are left out. */
  readonly all?: boolean
}

/** One transaction; each decision stands for itself. Receipts come in the order of `said` (P2). */
export async function decideHolds(
  runtime: Runtime,
  said: readonly DecisionInput[],
  options: DecideOptions = {},
): Promise<readonly Receipt[]> {
  const { all = false } = checkFields('The second argument of decideMany', options, { all: A_FLAG })
  const inputs = checkValue('decideMany', said, ['a list of decisions', Array.isArray])
  const checked = await Promise.all(inputs.map(each => readyDecision(runtime, each)))
  const refusals = checked.map(each => (each.ok ? null : each.receipt))
  if (all && refusals.some(refusal => refusal !== null)) return refused(runtime, said, refusals)
  const ready = checked.flatMap(each => (each.ok ? [each.decision] : []))
  const recorded = ready.length > 0 ? [...(await runtime.store.decide(ready, { all }))] : []
  const receipts = refusals.map(refusal => refusal ?? (recorded.shift() as Receipt))
  if (all && receipts.some(stoodInTheWay)) return refused(runtime, said, receipts.map(only(stoodInTheWay)))
  await recordRefusals(runtime, said, receipts)
  return receipts
}

type Lacking = Receipt | null

async function refused(
  runtime: Runtime,
  said: readonly DecisionInput[],
  receipts: readonly Lacking[],
): Promise<readonly Receipt[]> {
  await recordRefusals(runtime, said, receipts)
  return receipts.filter(receipt => receipt !== null)
}

function stoodInTheWay({ outcome }: Receipt): boolean {
  return outcome !== 'recorded' && outcome !== 'duplicate'
}

function only(counts: (receipt: Receipt) => boolean): (receipt: Receipt) => Lacking {
  return receipt => (counts(receipt) ? receipt : null)
}
