import { keptNumbers } from './kept-numbers.ts'
import { LONGEST_MESSAGE_BYTES, LongMessageError } from './message-lines.ts'

const LINE_FEED = 0x0a

/**
 * As `fetch`; a body with a line that is longer than a message may be breaks off. A whole message is one line of it. Results
 * of tools keep their numbers.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (!response.body) return response
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(boundedLines()).pipeThrough(keptInBody(headers.get('content-type') ?? ''))
  return new Response(body, { status, statusText, headers })
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

/** A document is one message, and so is each line with data of a stream of events. */
export function keptInBody(type: string): TransformStream<Uint8Array, Uint8Array> {
  if (/^application\/json\b/i.test(type)) return keptIn(() => 0, keptNumbers)
  if (/^text\/event-stream\b/i.test(type)) return keptIn(endOfLines, keptInLines)
  return new TransformStream()
}

function endOfLines(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
}

const DATA = 'data:'

function keptInLines(text: string): string {
  const lines = text.split(/(?<=[\r\n])/)
  return lines.map(line => (line.startsWith(DATA) ? `${DATA}${keptNumbers(line.slice(DATA.length))}` : line)).join('')
}

/** What is whole is passed on at once. */
function keptIn(
  wholeUntil: (text: string) => number,
  keep: (text: string) => string,
): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  let parts: string[] = []
  const taken = (text: string) => {
    const whole = keep(parts.join('') + text)
    parts = []
    return encoder.encode(whole)
  }
  return new TransformStream({
    transform: (chunk, controller) => {
      const text = decoder.decode(chunk, { stream: true })
      const end = wholeUntil(text)
      if (end > 0) controller.enqueue(taken(text.slice(0, end)))
      if (end < text.length) parts.push(text.slice(end))
    },
    flush: controller => {
      const rest = taken(decoder.decode())
      if (rest.length > 0) controller.enqueue(rest)
    },
  })
}
