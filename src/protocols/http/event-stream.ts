import { onAbort } from '../../async/on-abort.ts'

/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
  /** A durable event has one: a client that comes back continues after it. */
  readonly id?: number
}

/** Shorter than proxies wait before they close a silent connection. */
const BEAT_MS = 12_000
const RETRY_MS = 3_000

/**
 * Answers with server-sent events. The next event is asked for only when the client has read the one before, so a slow
 * client costs no memory. The signal that `open` gets is aborted when the stream is over or its client is gone.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  beatMs: number = BEAT_MS,
): Response {
  const over = new AbortController()
  const events = open(over.signal)[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes(`retry: ${RETRY_MS}\n: open\n\n`))
      // A client that does not read gets no beats either.
      const beat = () => (controller.desiredSize ?? 0) > 0 && controller.enqueue(bytes(': beat\n\n'))
      const beats = setInterval(beat, beatMs).unref()
      onAbort(over.signal, () => clearInterval(beats))
    },
    async pull(controller) {
      const next = await nextOf(events, over)
      if (next === null) controller.close()
      else if (!over.signal.aborted) controller.enqueue(bytes(frame(next)))
    },
    async cancel() {
      over.abort()
      await events.return?.()
    },
  })
  return new Response(body, { headers: STREAM_HEADERS })
}

/** `null` at the end. */
async function nextOf(events: AsyncIterator<StreamEvent>, over: AbortController): Promise<StreamEvent | null> {
  try {
    const { done, value } = await events.next()
    if (!done) return value
    over.abort()
    return null
  } catch (thrown) {
    over.abort()
    throw thrown
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** JSON has no line feeds, so the data is one line. */
function frame({ event, data, id }: StreamEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
