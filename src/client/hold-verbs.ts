import type { Receipt } from '../core/deciding/receipt.ts'
import { RefusedError } from '../core/errors.ts'
import type { Hold } from '../core/hold/hold.ts'
import type { HoldView } from '../core/hold-view/hold-view.ts'
import { newKey } from './new-key.ts'
import { collected, pages } from './pages.ts'
import { type RefusalDocument, refusalOf } from './read-problem.ts'
import type { RemoteAnswer, RemoteDecision, RemoteHolds } from './remote-holdpoint.ts'
import type { Reply, Wire } from './wire.ts'

export function holdVerbs(wire: Wire): RemoteHolds {
  return {
    hold: id => orNull(wire.get<Hold>(['holds', id], { view: 'plain' })),
    holds: ({ status, limit, after, ...query } = {}) =>
      collected(
        pages<Hold>(async place => {
          const asked = { ...query, ...place, status: status ?? 'all' }
          const { holds, next } = await wire.get<{ holds: Hold[]; next: string | null }>(['holds'], asked)
          return { rows: holds, next }
        }, given({ limit, after })),
      ),
    holdInContext: id => orNull(wire.get<HoldView>(['holds', id])),
    decide: async (id, input) => {
      const { decision_id = newKey('dec'), ...said } = input
      const body = decisionBody(said)
      return receiptIn(await wire.reply({ method: 'POST', path: ['holds', id, 'decisions'], body, key: decision_id }))
    },
    decideMany: async (inputs, { all = false } = {}) => {
      const decisions = inputs.map(({ hold_id, decision_id = newKey('dec'), ...said }) => ({
        ...{ hold_id, decision_id },
        ...decisionBody(said),
      }))
      const request = { method: 'POST', path: ['decisions'], body: { decisions, all }, isKeyed: true } as const
      const { receipts } = await wire.ask<{ receipts: readonly ReceiptDocument[] }>(request)
      return receipts.map(receiptOf)
    },
    answer: async (id, { decision_id = newKey('dec'), digest, level, decided_by: _, surface: __, ...content }) => {
      const body = { ...content, ...seen({ digest, level }) }
      return receiptIn(await wire.reply({ method: 'POST', path: ['holds', id, 'answer'], body, key: decision_id }))
    },
    assign: (id, { assignee, reason }) =>
      wire.ask({ method: 'POST', path: ['holds', id, 'assign'], body: { assignee, ...given({ reason }) } }),
  }
}

type ReceiptDocument =
  | Exclude<Receipt, { outcome: 'refused' }>
  | { readonly outcome: 'refused'; readonly hold: Hold | null; readonly error: RefusalDocument }

function receiptOf(receipt: ReceiptDocument): Receipt {
  return receipt.outcome === 'refused' ? { ...receipt, error: refusalOf(receipt.error) } : receipt
}

/** A decision that was refused is a receipt. @throws the refusal of a request that is none */
function receiptIn(reply: Reply<Receipt>): Receipt {
  if ('document' in reply) return reply.document
  const { problem, error } = reply
  const { hold, winner } = problem as { readonly hold?: Hold | null; readonly winner?: Decided }
  if (hold && winner) return { outcome: 'already_decided', hold, winner }
  if (hold === undefined || !(error instanceof RefusedError)) throw error
  return { outcome: 'refused', hold, error }
}

type Decided = Extract<Receipt, { outcome: 'already_decided' }>['winner']

/** The name and the surface are those of the token. */
function decisionBody({
  decided_by: _,
  surface: __,
  digest,
  level,
  value,
  ...said
}: Omit<RemoteDecision, 'hold_id' | 'decision_id'>): object {
  return { ...given(said), ...(value !== undefined && { value }), ...seen({ digest, level }) }
}

function seen(shown: Pick<RemoteAnswer, 'digest' | 'level'>): object {
  const what = Object.entries(shown).filter(([, value]) => value !== undefined && value !== null)
  return what.length > 0 ? { seen: Object.fromEntries(what) } : {}
}

/** Without the fields that are `null` or `undefined`. */
function given<Fields extends object>(fields: Fields): { [K in keyof Fields]?: NonNullable<Fields[K]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as ReturnType<typeof given<Fields>>
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_hold') return null
    throw thrown
  }
}
