import type { Prices } from '../../settings/prices.ts'
import { withAnswer } from '../usage/cost.ts'
import type { RunUsage, Usage } from '../usage/usage.ts'
import { type Compaction, foldedTo, type RequestedCompaction } from './compaction.ts'
import { type Counted, countedBy } from './counted.ts'
import type { DecidedCall } from './decided-calls.ts'

/** How much of a thread models are sent. Replaced, and never changed in place. */
export interface ContextState {
  readonly compactions: readonly Compaction[]
  /** What the provider counted of the newest request. */
  readonly counted: Counted | null
  /** The windows of models, in tokens, as their providers said. */
  readonly windows: ReadonlyMap<string, number>
  /** How often the request under way was refused as too long, and shortened. */
  readonly refused: number
  /** The newest wish for a compaction; `null` once it was carried out. */
  readonly requested: RequestedCompaction | null
  /** What was decided about calls, the oldest first. */
  readonly decided: readonly DecidedCall[]
}

export const WHOLE_CONTEXT: ContextState = {
  compactions: [],
  counted: null,
  windows: new Map(),
  refused: 0,
  requested: null,
  decided: [],
}

/** The state after an answer of the model. */
export function afterAnswer(
  state: ContextState,
  { model = '', estimated, usage }: { readonly model?: string; readonly estimated?: number; readonly usage: Usage },
): ContextState {
  const counted = countedBy(state.counted, { model, estimated, tokens: usage.input_tokens })
  return counted === state.counted && state.refused === 0 ? state : { ...state, counted, refused: 0 }
}

/** The state after a compaction of `messages`. @throws Error if that is about other messages */
export function afterCompaction(
  state: ContextState,
  compaction: Compaction,
  messages: readonly { readonly role: string }[],
): ContextState {
  refuseMisfit(state, compaction, messages)
  const { refused, by } = compaction
  const compactions = [...state.compactions, compaction]
  const after = { ...state, compactions, requested: by === undefined ? state.requested : null }
  if (!refused) return after
  const { model, window, sent, estimated } = refused
  return {
    ...after,
    counted: countedBy(state.counted, { model, estimated, tokens: sent ?? 0 }),
    windows: window === null ? state.windows : new Map(state.windows).set(model, window),
    refused: state.refused + 1,
  }
}

function refuseMisfit(
  { compactions }: ContextState,
  { from, to, what }: Compaction,
  messages: readonly { readonly role: string }[],
): void {
  if (!(from >= 0 && from < to && to <= messages.length))
    throw new Error(`there are ${messages.length} messages, and it is about ${from} to ${to}`)
  if (what === 'results') return
  if (messages[to]?.role === 'tool') throw new Error('a result would be without its call')
  if (to <= foldedTo(compactions)) throw new Error('those messages are folded already')
}

/** The usage of a run after a compaction: its summary is paid for too. */
export function usageAfter(
  before: RunUsage,
  { usage, model = '' }: Pick<Compaction, 'usage' | 'model'>,
  prices: Prices | undefined,
): RunUsage {
  return usage ? withAnswer(before, { model, usage }, prices) : before
}
