/** Posts to an address that somebody else chose. Redirects are not followed. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Retry } from '../../core/notice/not-sent.ts'
import { lookupPublic, refuseUnsafe } from './public-address.ts'

export interface Posting {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** True if the address may be of this machine or of a private network, and without TLS. */
  readonly allow_private: boolean
  readonly signal: AbortSignal
}

export interface PostAnswer {
  readonly status: number
  /** When a receiver that did not take it wants the next try. */
  readonly retry: Retry
}

/** @throws NotSentError for an address that nothing may be posted to, or what the network threw */
export async function post(address: string, { headers, body, allow_private, signal }: Posting): Promise<PostAnswer> {
  const url = new URL(address)
  if (!allow_private) refuseUnsafe(url)
  // A proxy would look the address up by itself, so a receiver that has to be public is reached without one.
  const direct = { lookup: lookupPublic as NonNullable<RequestOptions['lookup']>, agent: false }
  const lookup = allow_private ? {} : direct
  const length = { 'content-length': String(Buffer.byteLength(body)), 'user-agent': 'holdpoint' }
  return answerOf(url, { method: 'POST', headers: { ...headers, ...length }, signal, ...lookup }, body)
}

function answerOf(url: URL, options: RequestOptions, body: string | Buffer): Promise<PostAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>()
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, options, (response: IncomingMessage) => {
    // The status is enough: a body that never ends is not read.
    resolve({ status: response.statusCode ?? 0, retry: retryAfter(response.headers['retry-after']) })
    response.destroy()
  })
  request.on('error', error => reject(options.signal?.aborted ? options.signal.reason : error))
  request.end(body)
  return promise
}

const LONGEST_PAUSE_S = 3_600

function retryAfter(header: string | undefined): Retry {
  const seconds = Number(header ?? Number.NaN)
  return seconds > 0 ? { after_ms: Math.min(seconds, LONGEST_PAUSE_S) * 1000 } : 'later'
}
