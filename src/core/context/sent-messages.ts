import type { Message, UserMessage } from '../journal/message.ts'
import { repairedMessages, shiftedRepair } from '../repair/repaired-messages.ts'
import { shortenedResult } from '../repair/shorten-result.ts'
import { type Compaction, foldedTo } from '../run/context/compaction.ts'
import type { ContextRepair } from '../run/repair/context-repair.ts'

/** What models are sent less of, and what one provider is not sent. */
export interface Less {
  readonly compactions: readonly Compaction[]
  readonly repairs: readonly ContextRepair[]
}

/** The messages as a provider is sent them. `offset`: what a place in them is less than in the thread. */
export interface Sent {
  readonly messages: readonly Message[]
  readonly offset: number
}

/** The same bytes in every process, until a compaction or a repair is recorded. */
export function sentMessages(messages: readonly Message[], { compactions, repairs }: Less): Sent {
  if (compactions.length === 0) return { messages: repairedMessages(messages, repairs), offset: 0 }
  const to = foldedTo(compactions)
  const fold = compactions.findLast(({ what }) => what === 'messages')
  const shortenings = shorteningsBehind(compactions, to)
  const kept = messages.slice(to).map((message, index) => compacted(message, index + to, shortenings))
  const repaired = repairedMessages(
    kept,
    repairs.map(repair => shiftedRepair(repair, -to)),
  )
  return fold ? { messages: [foldMessage(fold), ...repaired], offset: to - 1 } : { messages: repaired, offset: 0 }
}

type Shortening = Required<Pick<Compaction, 'from' | 'to' | 'keep'>>

/** Those that are about messages from this place on, and that no later one makes needless: a long run has many. */
function shorteningsBehind(compactions: readonly Compaction[], place: number): readonly Shortening[] {
  const all = compactions.flatMap(({ what, from, to, keep }) =>
    what === 'results' && keep !== undefined && to > place ? { from, to, keep } : [],
  )
  const needed: Shortening[] = []
  for (const each of all.toReversed()) if (!needed.some(later => covers(later, each))) needed.push(each)
  return needed
}

function covers(one: Shortening, { from, to, keep }: Shortening): boolean {
  return one.from <= from && to <= one.to && one.keep <= keep
}

function compacted(message: Message, place: number, shortenings: readonly Shortening[]): Message {
  if (message.role !== 'tool') return message
  const keeps = shortenings.flatMap(({ from, to, keep }) => (from <= place && place < to ? keep : []))
  return keeps.length === 0 ? message : shortenedOnce(message, Math.min(...keeps))
}

const SHORTENED = new WeakMap<Message, { readonly keep: number; readonly message: Message }>()

/** The same object each time, so that it is counted once. */
function shortenedOnce(message: Extract<Message, { role: 'tool' }>, keep: number): Message {
  const known = SHORTENED.get(message)
  if (known?.keep === keep) return known.message
  const short = shortenedResult(message, keep)
  SHORTENED.set(message, { keep, message: short })
  return short
}

const FOLDS = new WeakMap<Compaction, UserMessage>()

/** The first message, in the place of all that it folds. */
function foldMessage(fold: Compaction): UserMessage {
  const made = FOLDS.get(fold) ?? { role: 'user', content: foldText(fold), author: null }
  FOLDS.set(fold, made)
  return made
}

function foldText({ summary, carried = '' }: Pick<Compaction, 'summary' | 'carried'>): string {
  const head = '[The conversation was longer than fits: this has the place of its earlier part. Go on from here.]'
  const story =
    summary === null
      ? '[There is no summary of what was done before.]'
      : `A summary of what was done before:\n${summary}`
  return [head, carried, story].filter(part => part !== '').join('\n\n')
}
