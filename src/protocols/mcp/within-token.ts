import { onAbort } from '../../async/on-abort.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange } from '../http/route.ts'
import { jsonRpcRefusal, REFUSED } from './json-rpc-refusal.ts'

/**
 * Ends a call that waits, and a stream, with the token of its caller. The end of the server is no such end: then calls are
 * still answered.
 */
export async function withinToken(
  exchange: Exchange,
  answer: (exchange: Exchange) => Promise<Response>,
): Promise<Response> {
  const { request, place } = exchange
  const over = new AbortController()
  const watch = onAbort(place.signal, () => place.signal.reason === 'token_ended' && over.abort())
  const { url, method, headers } = request
  const signal = AbortSignal.any([request.signal, over.signal])
  const answered = answer({ ...exchange, request: new Request(url, { method, headers, signal }) })
  const response = await Promise.race([answered, refusedAt(over.signal)])
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const end = () => {
    watch[Symbol.dispose]()
    place[Symbol.dispose]()
  }
  const cut = new TransformStream({
    start: controller => {
      onAbort(over.signal, () => {
        controller.enqueue(new TextEncoder().encode(lastWords(exchange)))
        controller.terminate()
      })
    },
    flush: end,
    cancel: end,
  })
  return new Response(response.body.pipeThrough(cut), response)
}

/** Clients of sessions take the end of a stream alone for a pause. */
function lastWords({ body }: Exchange): string {
  const { id } = (body ?? {}) as { readonly id?: unknown }
  if (id === undefined) return ''
  const error = { code: REFUSED, message: TOKEN_ENDED.detail }
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`
}

function refusedAt(signal: AbortSignal): Promise<Response> {
  return new Promise(resolve => onAbort(signal, () => resolve(jsonRpcRefusal(TOKEN_ENDED))))
}

const TOKEN_ENDED: Problem = {
  status: 401,
  code: 'invalid_token',
  detail: 'That token counts no more.',
  headers: { 'www-authenticate': 'Bearer realm="holdpoint", error="invalid_token"' },
}
