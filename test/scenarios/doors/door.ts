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
  /** The name that decided a hold, once this door shows it as closed to those who look; `null` if it names none. */
  told(hold: Raised): Promise<string | null>
  decide(hold: Raised, verdict: 'approve' | 'reject'): Promise<Said>
  /** The messages of a thread, as the model gets them; `null` if this door has them in another form. */
  transcript(threadId: string): Promise<readonly unknown[] | null>
  /** The texts of a thread, oldest first; `null` if this door shows none. */
  texts(threadId: string): Promise<readonly string[] | null>
}

/** Asks until there is an answer. */
export async function once<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== undefined) return answer
    await delay(20)
  }
}

/** The texts of people and models among messages as the model gets them. */
export function textsIn(messages: readonly { readonly role: string; readonly content: unknown }[]): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' || typeof content !== 'string' ? [] : [content]))
}
