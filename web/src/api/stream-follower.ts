/**
 * Follows a stream of events over breaks.
 * L1  After a break the stream continues after the last event that was received.
 * L2  After a break, however short, `onOpen` is called again: all in view must be fetched again.
 */
import { type Frame, readFrames } from '../../../src/client/read-frames.ts'
import { open } from './client.ts'
import { isSignedIn } from './connection.ts'
import { codeOf, NoAnswerError } from './problem.ts'

/** The server beats every 12 seconds: a stream that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 30_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

export interface StreamReader {
  onOpen(): void
  /** Not called for events about the stream itself. */
  onFrame(frame: Frame): void
}

/** Events about the stream itself. */
const OF_THE_STREAM: readonly string[] = ['position', 'bye', 'rest']

/** Reads until the function that it returns is called. */
export function followStream(path: string, reader: StreamReader): () => void {
  const follower = new StreamFollower(path, reader)
  void follower.follow()
  return () => follower.end()
}

class StreamFollower {
  readonly #path: string
  readonly #reader: StreamReader
  readonly #ended = new AbortController()
  /** Aborts the stream that is open. */
  #broken = new AbortController()
  /** The id of the last event that came. */
  #last: string | null = null
  #heardAt = Date.now()

  constructor(path: string, reader: StreamReader) {
    this.#path = path
    this.#reader = reader
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

  /** Reads one stream to its end. Resolves to true if there was one. */
  async #readOnce(): Promise<boolean> {
    this.#broken = new AbortController()
    try {
      const body = await this.#open()
      this.#heard()
      this.#reader.onOpen()
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
    const { body } = await open(this.#path, { headers, signal })
    if (body === null) throw new NoAnswerError('no stream')
    return body
  }

  #take(frame: Frame): void {
    if (frame.id !== null) this.#last = String(frame.id)
    if (!OF_THE_STREAM.includes(frame.event)) this.#reader.onFrame(frame)
  }

  #heard(): void {
    this.#heardAt = Date.now()
  }
}

/** Resolves early when the network is back, or at an abort. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  addEventListener('online', () => resolve(), { once: true, signal })
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
