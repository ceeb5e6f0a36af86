/**
 * The streams that are open, and why each of them has to end.
 * S1  One caller has a limited number of them at a time, and so have all callers together. While the open streams are
 *     late, no other one opens: a new client is asked to retry before all have to wait.
 * S2  A token, session or assertion that is no longer valid ends its bearer's streams within a second.
 * S3  A server that is to end ends all of them.
 */
import { FairTurns } from '../../async/fair-turns.ts'
import { nextTurn } from '../../async/next-turn.ts'
import { NEVER, onAbort } from '../../async/on-abort.ts'
import type { Admitted, Caller, Gate } from './gate.ts'
import type { Problem } from './problem.ts'

/** Why this side ends a stream. */
export type StreamEnd = 'server_ending' | 'token_ended'

/** A caller's place for one stream; disposed of when the stream is over. */
export interface StreamPlace extends Disposable {
  /** Aborted when the stream has to end, with a `StreamEnd` as its reason. */
  readonly signal: AbortSignal
  /** Resolves when it is the turn of this stream to write. */
  turn(): Promise<void>
  /** Reports a failure to the host: the client only sees that the stream ends. */
  failed(error: Error): void
}

/** The place of a route that does not stream. */
export const NO_PLACE: StreamPlace = {
  signal: NEVER,
  turn: nextTurn,
  failed: () => {},
  [Symbol.dispose]: () => {},
}

export interface StreamLimits {
  readonly perCaller: number
  /** The limit for all callers together. Default: 1,536. */
  readonly inAll?: number
  /** The turns of the open streams. Default: their own. */
  readonly turns?: Pick<FairTurns, 'take' | 'lagMs'>
  readonly identify: Gate['identify']
  /** Aborted when the server is to end. */
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
  /** The time from one look at the proofs to the next, in milliseconds. Default: 500. */
  readonly lookMs?: number
}

/** Each stream keeps a connection, and a server has some more of those (hosts/server). */
const IN_ALL = 1_536
/** Streams that are later than this are too many, in milliseconds. */
const LATE_MS = 1_000

/** Twice within the second that a revoked token may take. */
const LOOK_MS = 500

interface Bearer extends Admitted {
  /** With whether it counts. */
  readonly ends: Map<AbortController, boolean>
}

export class StreamPlaces {
  readonly #limits: StreamLimits
  readonly #turns: Pick<FairTurns, 'take' | 'lagMs'>
  /** By kind and text of their proofs. */
  readonly #bearers = new Map<string, Bearer>()
  #looks: NodeJS.Timeout | null = null

  constructor(limits: StreamLimits) {
    this.#limits = limits
    this.#turns = limits.turns ?? new FairTurns()
    onAbort(limits.stopping, () => this.#end([...this.#bearers.values()], 'server_ending'))
  }

  /** How many streams are open. */
  get size(): number {
    return [...this.#bearers.values()].reduce((sum, { ends }) => sum + ends.size, 0)
  }

  /** A stream that does not count is never refused. */
  take({ caller, proof }: Admitted, counts = true): StreamPlace | Problem {
    const objection = counts ? this.#objectionTo(caller) : null
    if (objection) return objection
    const end = new AbortController()
    const key = `${proof.kind} ${proof.text}`
    const bearer = this.#bearers.get(key) ?? { caller, proof, ends: new Map() }
    this.#bearers.set(key, bearer)
    bearer.ends.set(end, counts)
    this.#looks ??= setInterval(() => void this.#look(), this.#limits.lookMs ?? LOOK_MS).unref()
    return {
      signal: end.signal,
      turn: () => this.#turns.take(),
      failed: error => this.#limits.onError(error),
      [Symbol.dispose]: () => this.#leave(key, end),
    }
  }

  #objectionTo(caller: Caller): Problem | null {
    const { perCaller, inAll = IN_ALL } = this.#limits
    if (this.#openOf(caller) >= perCaller) return tooMany(perCaller)
    return this.size >= inAll || this.#turns.lagMs > LATE_MS ? BUSY : null
  }

  #openOf({ name }: Caller): number {
    const own = [...this.#bearers.values()].filter(({ caller }) => caller.name === name)
    return own.flatMap(({ ends }) => [...ends.values()]).filter(counts => counts).length
  }

  #leave(key: string, end: AbortController): void {
    const bearer = this.#bearers.get(key)
    bearer?.ends.delete(end)
    if (bearer?.ends.size === 0) this.#bearers.delete(key)
    if (this.#bearers.size > 0 || this.#looks === null) return
    clearInterval(this.#looks)
    this.#looks = null
  }

  /** Checks each proof once, however many streams it has. */
  async #look(): Promise<void> {
    for (const bearer of [...this.#bearers.values()]) {
      try {
        const caller = await this.#limits.identify(bearer.proof)
        if (caller?.name !== bearer.caller.name || caller.role !== bearer.caller.role)
          this.#end([bearer], 'token_ended')
      } catch {
        // If the store does not answer, the streams meet its error themselves.
      }
    }
  }

  #end(bearers: readonly Bearer[], why: StreamEnd): void {
    for (const { ends } of bearers) for (const end of [...ends.keys()]) end.abort(why)
  }
}

const BUSY: Problem = {
  status: 503,
  code: 'server_busy',
  detail: 'This server has as many streams open as it can serve in time.',
  hint: 'Come again in a few seconds, or ask another server on the same store.',
  headers: { 'retry-after': '5' },
}

function tooMany(perCaller: number): Problem {
  return {
    status: 429,
    code: 'too_many_streams',
    detail: `One caller may have ${perCaller} streams open at a time.`,
    hint: 'Close one of them. One stream of /v1/changes tells what happens in all threads.',
    headers: { 'retry-after': '5' },
  }
}
