import type { RefusedFor } from '../run/repair/context-repair.ts'

/** What a provider said of a request that it refused, in terms of the thread as far as they are known. */
export interface Refusal {
  readonly about: RefusedFor
  /** The provider's words. */
  readonly words: string
  /** The place of the message that it names, and of the part in it. */
  readonly message?: number
  readonly part?: number
  /** The tool that it names. */
  readonly tool?: string
  /** The share of the request that is too much, from 0 to 1. */
  readonly excess?: number
  /** The tokens that were sent, and those that fit. */
  readonly sent?: number
  readonly window?: number
}

/** Reads it from the details of a `ModelError`; an error of an agent file's own making has none. */
export function refusalIn(details: Readonly<Record<string, unknown>> | undefined): Refusal | null {
  const { refusal } = details ?? {}
  return typeof refusal === 'object' && refusal !== null && 'about' in refusal ? (refusal as Refusal) : null
}
