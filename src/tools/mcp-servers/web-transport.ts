import type {
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { boundedFetch } from './bounded-fetch.ts'

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
