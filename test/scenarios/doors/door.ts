/** A way in: each has a person of its own, who raises holds, is told of them and decides them there. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Raised {
  readonly run_id: string
  readonly thread_id: string
  readonly hold_id: string
}

/** What a door says of a decision: whose counts, and whether it was this one. */
export interface Said {
  readonly won: boolean
  readonly winner: string
}

export interface Door extends AsyncDisposable {
  readonly name: string
  readonly person: string
  /** Starts an agent that waits for an approval. */
  raise(): Promise<Raised>
  /** Resolves once this door shows the hold as open to those who look. */
  shows(hold: Raised): Promise<void>
  /** The name that decided a hold, once this door shows it to those who look. */
  told(hold: Raised): Promise<string>
  decide(hold: Raised, verdict: 'approve' | 'reject'): Promise<Said>
  /** The messages of a thread, as this door has them; `null` if it shows none. */
  transcript(threadId: string): Promise<readonly unknown[] | null>
}

/** Asks until there is an answer. */
export async function once<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined) return answer
    await delay(20)
  }
}
