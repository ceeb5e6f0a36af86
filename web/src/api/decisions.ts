/**
 * A decision, and its outcome.
 * D1  P2: a card has one key until there is a receipt, also over a reload: a second try is the same decision.
 * D2  A hold is decided when the server answers, never by a click.
 */
import { post } from './client.ts'
import type { Decision, DecisionVerdict, Documents, Hold, Json, JsonObject, Receipt } from './documents.ts'
import { NoAnswerError, type ProblemDocument, ProblemError } from './problem.ts'
import { seenOf, shownOnRecord, type Version } from './shown.ts'

export interface Choice {
  readonly verdict: DecisionVerdict
  readonly arguments?: JsonObject
  readonly value?: Json
  readonly reason?: string
  readonly grant?: ChosenGrant
}

export interface ChosenGrant {
  readonly name: string
  readonly scope: 'run' | 'thread' | 'project'
  readonly expires_at: string | null
  readonly match: Readonly<Record<string, string>> | null
}

export type Outcome =
  | { readonly outcome: 'recorded'; readonly decision: Decision; readonly hold: Hold }
  /** Another decision, a deadline or the run itself was first. */
  | { readonly outcome: 'late'; readonly problem: ProblemDocument }
  /** The hold is not what was shown. */
  | { readonly outcome: 'changed'; readonly problem: ProblemDocument }
  | { readonly outcome: 'refused'; readonly problem: ProblemDocument }
  /** Nobody knows whether it was recorded. */
  | { readonly outcome: 'unanswered' }

/** P9: only what was shown is decided. */
export async function decide(hold: Version, choice: Choice): Promise<Outcome> {
  const { id } = hold
  const body = { ...choice, seen: seenOf(hold) }
  try {
    await shownOnRecord(hold)
    const receipt = await post<Receipt>(`/v1/holds/${id}/decisions`, body, keyOf(id))
    sessionStorage.removeItem(nameOf(id))
    return { outcome: 'recorded', decision: receipt.decision, hold: receipt.hold }
  } catch (thrown) {
    return refusedAs(id, thrown)
  }
}

function refusedAs(id: string, thrown: unknown): Outcome {
  if (thrown instanceof NoAnswerError) return { outcome: 'unanswered' }
  if (!(thrown instanceof ProblemError)) throw thrown
  const { problem } = thrown
  const outcome = OUTCOMES[problem.status] ?? 'refused'
  if (outcome === 'late') sessionStorage.removeItem(nameOf(id))
  return { outcome, problem }
}

const OUTCOMES: Readonly<Record<number, 'late' | 'changed'>> = { 409: 'late', 410: 'late', 412: 'changed' }

/** Several at once, a decision each. `all`: all or none. Each was shown in full, and that is on record first (P10). */
export async function decideTogether(
  holds: readonly Version[],
  choice: Choice,
  all: boolean,
): Promise<Documents['Receipts']['receipts']> {
  await Promise.all(holds.map(shownOnRecord))
  const decisions = holds.map(hold => ({
    ...{ hold_id: hold.id, decision_id: keyOf(hold.id) },
    ...choice,
    seen: seenOf(hold),
  }))
  const { receipts } = await post<Documents['Receipts']>('/v1/decisions', { decisions, all })
  for (const { id } of holds) sessionStorage.removeItem(nameOf(id))
  return receipts
}

function nameOf(id: string): string {
  return `holdpoint.key.${id}`
}

/** D1. */
function keyOf(id: string): string {
  const kept = sessionStorage.getItem(nameOf(id))
  if (kept !== null) return kept
  const key = `page-${[...crypto.getRandomValues(new Uint8Array(12))].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
  sessionStorage.setItem(nameOf(id), key)
  return key
}
