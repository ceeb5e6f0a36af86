import type { Receipt } from '../core/deciding/receipt.ts'
import { RefusedError } from '../core/errors.ts'
import type { Hold } from '../core/hold/hold.ts'
import type { HoldView } from '../core/hold-view/hold-view.ts'
import type { WaitForStartedOptions } from '../runtime/doubt/attend-started.ts'
import { collected, pagesOf } from './pages.ts'
import { type RefusalDocument, refusalOf } from './read-problem.ts'
import type { RemoteAnswer, RemoteHolds } from './remote-holdpoint.ts'
import { newKey, verbRequest } from './verb-request.ts'
import { type Reply, rest, type Wire } from './wire.ts'

export function holdVerbs(wire: Wire): Omit<RemoteHolds, 'assign' | 'stopStarted'> {
  return {
    hold: id => orNull(wire.get<Hold>(['holds', id], { view: 'plain' })),
    holds: ({ status, ...query } = {}) =>
      collected(pagesOf<Hold>(wire, 'holds', { ...query, status: status ?? 'all' })),
    holdInContext: id => orNull(wire.get<HoldView>(['holds', id])),
    decide: async (id, said) => receiptIn(await wire.reply(verbRequest('decide', id, decisionBody(said)))),
    decideMany: async (inputs, { all = false } = {}) => {
      const decisions = inputs.map(({ decision_id = newKey('dec'), decided_by: _, surface: __, ...said }) => ({
        decision_id,
        ...decisionBody(said),
      }))
      const request = { ...verbRequest('decideMany', { decisions, all }), isKeyed: true } as const
      const { receipts } = await wire.ask<{ receipts: readonly ReceiptDocument[] }>(request)
      return receipts.map(receiptOf)
    },
    answer: async (id, said) => receiptIn(await wire.reply(verbRequest('answer', id, withSeen(said)))),
    waitForStarted: (id, options = {}) => waitedFor(wire, id, options),
  }
}

/** How often the server is asked whether it still runs, in milliseconds. */
const LOOK_MS = 1_000

async function waitedFor(wire: Wire, id: string, { signal, timeoutMs }: WaitForStartedOptions): Promise<Hold> {
  const wait = AbortSignal.any([
    ...(signal ? [signal] : []),
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
  ])
  for (;;) {
    const hold = await wire.get<Hold>(['holds', id], { view: 'plain' })
    if (wait.aborted || hold.status !== 'open' || hold.still_running?.standing !== 'running') return hold
    await rest(LOOK_MS, wait).catch(() => {})
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

/** A value may be `null`; another field that is `null` is left out. */
function decisionBody(said: object): object {
  const fields = Object.entries(withSeen(said)).filter(([name, field]) => field !== null || name === 'value')
  return Object.fromEntries(fields)
}

type Seen = Pick<RemoteAnswer, 'digest' | 'level'>

/** With the version of the hold that its decider had in view, as one field. */
function withSeen({ digest, level, ...said }: Seen): object {
  const seen = { ...(digest != null && { digest }), ...(level != null && { level }) }
  return Object.keys(seen).length > 0 ? { ...said, seen } : said
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_hold') return null
    throw thrown
  }
}
