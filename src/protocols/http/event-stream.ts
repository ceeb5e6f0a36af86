/**
 * A body of server-sent events.
 * E1  The next events are requested only when the client has read those before: a slow client costs no memory.
 * E2  Headers and a first comment are sent at once, and a beat while nothing happens, so that no proxy ends the
 *     connection.
 * E3  It ends when its events end, when its client is gone, and when its place ends it; its place is free then.
 * E4  A failure is reported to the host. The client sees that the stream ends, and reconnects.
 * E5  It takes its turn among all streams, and then sends all events that are ready in one piece.
 */
import { nextTurn } from '../../async/next-turn.ts'
import { onAbort, orAborted } from '../../async/on-abort.ts'
import type { StreamEnd, StreamPlace } from './stream-places.ts'

/** An event in a `text/event-stream`. */
export interface StreamEvent {
  /** Left out if clients find the type of an event in its data. */
  readonly event?: string
  /** Sent as JSON. */
  readonly data?: unknown
  /** Sent as it is, in place of `data`: one line. */
  readonly text?: string
  /** A durable event has an id: a client that reconnects continues after it. */
  readonly id?: number
}

export interface StreamOptions {
  /** Milliseconds after which a client whose connection broke reconnects. Default: the client decides. */
  readonly retryMs?: number
  /** The last event, if this side ends the stream. Default: none. */
  readonly farewell?: (why: StreamEnd) => StreamEvent
  readonly headers?: Readonly<Record<string, string>>
  /** Default: 12,000 milliseconds. */
  readonly beatMs?: number
}

/** Characters in one piece; the last event may go beyond. */
const LONGEST = 65_536
const TURNED: unique symbol = Symbol('turned')

/** Shorter than proxies wait before they close a silent connection. */
const BEAT_MS = 12_000

/**
 * The signal that `open` gets is aborted when the stream is over. `place` is from the exchange of a route that
 * streams.
 */
export function eventStream(
  place: StreamPlace,
  open: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  options: StreamOptions = {},
): Response {
  const stream = new EventStream(place, open, options)
  const body = new ReadableStream<Uint8Array>({
    start: controller => stream.begin(controller),
    pull: controller => stream.give(controller),
    cancel: () => stream.leave(),
  })
  return new Response(body, { headers: { ...STREAM_HEADERS, ...options.headers } })
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

type Controller = ReadableStreamDefaultController<Uint8Array>

class EventStream {
  readonly #place: StreamPlace
  readonly #options: StreamOptions
  readonly #over = new AbortController()
  readonly #events: AsyncIterator<StreamEvent>
  readonly #held = new DisposableStack()
  #isRead = true
  #coming: Promise<StreamEvent | null> | null = null

  constructor(place: StreamPlace, open: (signal: AbortSignal) => AsyncIterable<StreamEvent>, options: StreamOptions) {
    this.#place = this.#held.use(place)
    this.#options = options
    this.#events = open(this.#over.signal)[Symbol.asyncIterator]()
    this.#held.use(onAbort(place.signal, () => this.#over.abort()))
  }

  begin(controller: Controller): void {
    const { retryMs, beatMs = BEAT_MS } = this.#options
    const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`
    controller.enqueue(bytes(`${retry}: open\n\n`))
    // A client that does not read gets no beats either.
    const beat = () => (controller.desiredSize ?? 0) > 0 && controller.enqueue(bytes(': beat\n\n'))
    const beats = setInterval(beat, beatMs).unref()
    this.#held.defer(() => clearInterval(beats))
  }

  async give(controller: Controller): Promise<void> {
    const text = await this.#text()
    if (text !== '' && this.#isRead) controller.enqueue(bytes(text))
    if (!this.#over.signal.aborted) return
    this.#letGo()
    if (this.#isRead) controller.close()
  }

  /** The client is gone. */
  leave(): void {
    this.#isRead = false
    this.#over.abort()
    this.#letGo()
  }

  /** The next event, and those that come before the loop turns. */
  async #text(): Promise<string> {
    const first = await this.#asked()
    if (first !== null) await this.#place.turn()
    const turned = nextTurn().then((): typeof TURNED => TURNED)
    let text = ''
    for (let next: StreamEvent | null | typeof TURNED = first; next !== TURNED; ) {
      if (next === null) return text + framed(this.#farewell())
      text += frame(next)
      if (text.length > LONGEST) break
      next = await Promise.race([this.#asked(), turned])
    }
    return text
  }

  /** An event that was asked for and has not come yet is not asked for again. */
  #asked(): Promise<StreamEvent | null> {
    this.#coming ??= this.#next().finally(() => {
      this.#coming = null
    })
    return this.#coming
  }

  /** `null` once it is over. */
  async #next(): Promise<StreamEvent | null> {
    const { signal } = this.#over
    try {
      const next = await orAborted(this.#events.next(), signal)
      if (!next.done) return next.value
    } catch (thrown) {
      if (!signal.aborted) this.#place.failed(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
    }
    this.#over.abort()
    return null
  }

  #farewell(): StreamEvent | undefined {
    const { signal } = this.#place
    return signal.aborted ? this.#options.farewell?.(signal.reason as StreamEnd) : undefined
  }

  /** Events that hang are not waited for. */
  #letGo(): void {
    this.#held.dispose()
    void this.#events.return?.()?.catch(() => {})
  }
}

function framed(event: StreamEvent | undefined): string {
  return event ? frame(event) : ''
}

/** JSON has no line feeds, so the data is one line. */
function frame({ event, data, text, id }: StreamEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${text ?? JSON.stringify(data)}`,
  ]
  return `${lines.join('\n')}\n\n`
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
