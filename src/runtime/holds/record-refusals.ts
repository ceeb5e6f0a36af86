import { shortText } from '../../core/audit/short-text.ts'
import type { Receipt } from '../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Store } from '../../ports/store/store.ts'

type RefusedDecision = Partial<Pick<DecisionInput, 'hold_id' | 'verdict' | 'decided_by' | 'surface'>>

const NOTHING: RefusedDecision = {}

/**
 * P10: records who tried to decide, and could not. Receipts are in the order of the decisions; `null` if there is none.
 */
export async function recordRefusals(
  { store }: { readonly store: Pick<Store, 'record'> },
  decisions: readonly RefusedDecision[],
  receipts: readonly (Receipt | null)[],
): Promise<void> {
  const entries = receipts.flatMap((receipt, index) => {
    const code = receipt && codeOf(receipt)
    const each = decisions[index]
    return code ? [refusal(each ?? NOTHING, { code, hold: receipt.hold })] : []
  })
  await store.record(entries)
}

function codeOf(receipt: Receipt): string | null {
  if (receipt.outcome === 'already_decided') return receipt.outcome
  return receipt.outcome === 'refused' ? receipt.error.code : null
}

/** A refused caller may have made up all of its text, so little of it is kept. */
function refusal(
  { hold_id, verdict, decided_by, surface }: RefusedDecision,
  { code, hold }: { code: string; hold: Receipt['hold'] },
): Parameters<Store['record']>[0][number] {
  return {
    kind: 'decision.refused',
    thread_id: hold?.thread_id ?? null,
    run_id: hold?.run_id ?? null,
    call_id: hold?.call_id ?? null,
    hold_id: shortText(hold_id),
    actor: shortText(decided_by),
    surface: shortText(surface),
    data: { verdict: shortText(verdict), code },
  }
}
