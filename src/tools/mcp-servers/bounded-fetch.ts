import { LONGEST_MESSAGE_BYTES, LongMessageError } from './message-lines.ts'

const LINE_FEED = 0x0a

/** As `fetch`; a body with a line that is longer than a message may be breaks off. A whole message is one line of it. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (!response.body) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(boundedLines()), { status, statusText, headers })
}

function boundedLines(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = chunk.lastIndexOf(LINE_FEED)
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end - 1
      if (bytes > LONGEST_MESSAGE_BYTES) controller.error(new LongMessageError())
      else controller.enqueue(chunk)
    },
  })
}
