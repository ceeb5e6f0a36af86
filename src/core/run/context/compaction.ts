import type { Amount } from '../../count.ts'
import type { Usage } from '../usage/usage.ts'

/** P12: what models are sent of a part of the conversation from here on. People still see all of it. */
export interface Compaction {
  /** The first of its messages, and the one behind the last: places in the messages of the thread. */
  readonly from: Amount
  readonly to: Amount
  /**
   * `results`: the results of its tools have `keep` characters of their beginning and their end. `messages`: one message
   * has the place of all from the beginning of the thread to `to`.
   */
  readonly what: 'results' | 'messages'
  /** Left out with `messages`. */
  readonly keep?: Amount
  /** The summary by a model; `null` with `results`, and if none could be made. */
  readonly summary: string | null
  /** With `messages`: what is carried on word for word, such as the decisions of people. */
  readonly carried?: string
  /** The estimated size of the next request, before and after. */
  readonly tokens_before: Amount
  readonly tokens_after: Amount
  /** The model that wrote the summary, and what that used. */
  readonly model?: string
  readonly usage?: Usage
  /** Why no summary could be made. */
  readonly failed?: string
  /** The provider refused the request before it, as too long for this model. */
  readonly refused?: RefusedLength
  /** Who asked for it; left out if it was time. */
  readonly by?: string
}

/** A wish of a person, carried out before the next request. */
export interface RequestedCompaction {
  readonly by: string
  /** What the summary keeps in particular; `null` if that is left to the model. */
  readonly keep: string | null
}

/** What a refusal said about lengths. */
export interface RefusedLength {
  readonly model: string
  /** The tokens that fit; `null` if it did not say. */
  readonly window: Amount | null
  /** The tokens that were sent, and our estimate of them. */
  readonly sent: Amount | null
  readonly estimated: Amount
}

export function requestedWords({ by, keep }: RequestedCompaction): string {
  const wish = keep === null ? '.' : `, with: ${keep}`
  return `${by} asked to fold the conversation${wish}`
}

/** A compaction as a line of the conversation. */
export function compactionWords({ what, summary, failed, by, ...sizes }: Compaction): string {
  const amounts = `${roundTokens(sizes.tokens_before)} → ${roundTokens(sizes.tokens_after)} tokens`
  const why = failed === undefined ? '' : ` No summary could be made: ${failed.replace(/\.$/, '')}.`
  const wish = by === undefined ? '' : `, as ${by} asked`
  if (what === 'results')
    return `Older results of tools are shortened in what the model is sent${wish}: ${amounts}.${why}`
  return `Earlier conversation folded${summary === null ? ' without a summary' : ''}${wish}: ${amounts}.${why}`
}

/** The place of the first message that is sent itself; 0 if nothing was folded. */
export function foldedTo(compactions: readonly Compaction[]): number {
  return compactions.findLast(({ what }) => what === 'messages')?.to ?? 0
}

/** `900`, `1.2k`, `84k`. */
function roundTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return `${tokens < 10_000 ? (tokens / 1_000).toFixed(1) : Math.round(tokens / 1_000)}k`
}
