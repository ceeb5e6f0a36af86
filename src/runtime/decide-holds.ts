import type { DecisionInput } from '../core/decision.ts'
import type { Receipt } from '../ports/store.ts'
import { readyDecision } from './ready-decisions.ts'
import { recordRefusals } from './record-refusals.ts'
import type { Runtime } from './runtime.ts'

/** One transaction; each decision stands for itself. Receipts come in the order of `said` (P2). */
export async function decideHolds(runtime: Runtime, said: readonly DecisionInput[]): Promise<readonly Receipt[]> {
  const checked = await Promise.all(said.map(each => readyDecision(runtime, each)))
  const ready = checked.flatMap(each => (each.ok ? [each.decision] : []))
  const recorded = ready.length > 0 ? [...(await runtime.store.decide(ready))] : []
  const receipts = checked.map(each => (each.ok ? (recorded.shift() as Receipt) : each.receipt))
  await recordRefusals(runtime, said, receipts)
  return receipts
}
