/**
 * The page hears of changes by one stream, whose events are ids. What is in view is then asked for again.
 * L1  A stream that breaks goes on behind the last event that came.
 * L2  After a break, however short, all in view is asked for again: a place that the server forgot loses nothing.
 */
import { type Frame, readFrames } from '../../../src/client/read-frames.ts'
import { open } from './client.ts'
import { isSignedIn } from './connection.ts'
import type { Change } from './documents.ts'
import { codeOf, NoAnswerError } from './problem.ts'

/** A change, or word that some may have been missed. */
export type Poke = Change | 'all'
type Listener = (poke: Poke) => void

const listeners = new Set<Listener>()

/** Ends with the function that it returns. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(poke: Poke): void {
  for (const listener of listeners) listener(poke)
}

/** The server beats every 12 seconds: a stream that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 30_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/** Follows the changes until the function that it returns is called. */
export function followChanges(): () => void {
  const follower = new ChangeFollower()
  void follower.follow()
  return () => follower.end()
}

class ChangeFollower {
  readonly #ended = new AbortController()
  /** Of the stream that is open. */
  #broken = new AbortController()
  /** The id of the last change that came. */
  #last: string | null = null
  #heardAt = Date.now()

  constructor() {
    const { signal } = this.#ended
    addEventListener('online', () => this.#broken.abort(), { signal })
    document.addEventListener('visibilitychange', () => this.#breakIfSilent(LONGEST_SILENCE_MS / 2), { signal })
    const watch = setInterval(() => this.#breakIfSilent(LONGEST_SILENCE_MS), LONGEST_SILENCE_MS / 3)
    signal.addEventListener('abort', () => clearInterval(watch))
  }

  end(): void {
    this.#ended.abort()
  }

  async follow(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !this.#ended.signal.aborted && isSignedIn.get(); ) {
      const wasHeard = await this.#readOnce()
      wait = wasHeard ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS)
      await pause(wait, this.#ended.signal)
    }
  }

  #breakIfSilent(most: number): void {
    if (Date.now() - this.#heardAt > most) this.#broken.abort()
  }

  /** One stream, to its end. True if there was one. */
  async #readOnce(): Promise<boolean> {
    this.#broken = new AbortController()
    try {
      const body = await this.#open()
      this.#heard()
      tell('all')
      for await (const frame of readFrames(body, () => this.#heard())) this.#take(frame)
      return true
    } catch (thrown) {
      // The store was replaced.
      if (codeOf(thrown) === 'unknown_position') this.#last = null
      return false
    }
  }

  async #open(): Promise<ReadableStream<Uint8Array>> {
    const signal = AbortSignal.any([this.#ended.signal, this.#broken.signal])
    const headers = { accept: 'text/event-stream', ...(this.#last !== null && { 'last-event-id': this.#last }) }
    const { body } = await open('/v1/changes', { headers, signal })
    if (body === null) throw new NoAnswerError('no stream')
    return body
  }

  #take({ id, event, data }: Frame): void {
    if (id !== null) this.#last = String(id)
    if (!OF_THE_STREAM.includes(event)) tell(data as Change)
  }

  #heard(): void {
    this.#heardAt = Date.now()
  }
}

/** Events that tell of the stream itself. */
const OF_THE_STREAM: readonly string[] = ['position', 'bye']

/** Ends early when the network comes back, or at an abort. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  addEventListener('online', () => resolve(), { once: true, signal })
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
