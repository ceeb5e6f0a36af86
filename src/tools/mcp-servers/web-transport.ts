import type {
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { keptNumbers } from './kept-numbers.ts'
import { LONGEST_MESSAGE_BYTES, LongMessageError } from './message-lines.ts'

/** The answer to a request broke off before it was there. Of the codes that are free for such things. */
export const BROKEN_OFF = -32_099

/**
 * Over HTTP each request has a stream of its own. If a stream ends without an answer, the request fails instead of
 * waiting in vain.
 */
export function webTransport(
  {
    StreamableHTTPClientTransport: Web,
  }: { readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport },
  url: URL,
  headers: Readonly<Record<string, string>>,
): Transport {
  const transport = new Web(url, { requestInit: { headers: { ...headers } }, fetch: boundedFetch })
  const send = transport.send.bind(transport)
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    const isRequest = 'method' in message && 'id' in message
    const error = { code: BROKEN_OFF, message: 'its answer broke off' }
    const giveUp = isRequest ? () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error }) : undefined
    const given = options as Parameters<typeof send>[1]
    return send(message, giveUp ? { onRequestStreamEnd: giveUp, ...given } : given)
  }
  return transport as Transport
}

const LINE_FEED = 0x0a

/**
 * Like `fetch`, but fails when a line exceeds the message limit: a whole message is one line. Results of tools keep
 * their numbers.
 */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
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

/** Passes on whole messages at once. */
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
