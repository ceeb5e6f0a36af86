/**
 * Requests of addresses that a model chose. The address of a host is checked by the `lookup` of the connection itself, so a
 * name cannot lead elsewhere between the check and the use. Through a proxy the proxy resolves names.
 */
import { lookup as systemLookup } from 'node:dns'
import { get as getHttp, Agent as HttpAgent, globalAgent as httpAgent, type IncomingMessage } from 'node:http'
import { get as getHttps, Agent as HttpsAgent, globalAgent as httpsAgent, type RequestOptions } from 'node:https'
import type { LookupFunction } from 'node:net'
import { messageOf, ToolError } from '../../core/errors.ts'
import { publicLookup, type ResolveAll } from '../../core/network/public-lookup.ts'
import { addressOf, hostOf, isAllowed, privateAddress, refusePrivate } from './address.ts'

const MOST_REDIRECTS = 5
const MOVED: readonly number[] = [301, 302, 303, 307, 308]

export interface RequestDeps {
  readonly signal: AbortSignal
  /** Hosts that may be private, with or without a port. Default: none. */
  readonly allow?: readonly string[]
  /** Default: that of this machine. */
  readonly resolve?: ResolveAll
}

export interface Answer {
  readonly url: URL
  readonly response: IncomingMessage
}

/** A redirect to another host, or to a less safe scheme. */
export interface Redirected {
  readonly url: string
  readonly status: number
  readonly redirect_to: string
}

/** Follows redirects within a host. @throws ToolError */
export async function request(asked: URL, deps: RequestDeps): Promise<Answer | Redirected> {
  let url = asked
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await get(url, deps)
    const next = nextOf(url, response)
    if (next === null) return { url, response }
    response.destroy()
    if (!isSameHost(url, next)) return { url: url.href, status: response.statusCode ?? 0, redirect_to: next.href }
    url = next
  }
  throw new ToolError('TOO_MANY_REDIRECTS', `${asked.host} redirects more than ${MOST_REDIRECTS} times.`)
}

function nextOf(url: URL, { statusCode = 0, headers: { location } }: IncomingMessage): URL | null {
  return location === undefined || !MOVED.includes(statusCode) ? null : addressOf(location, url.href)
}

/** With http → https as the one change of scheme. */
function isSameHost(one: URL, other: URL): boolean {
  if (one.hostname !== other.hostname) return false
  if (one.protocol === other.protocol) return one.port === other.port
  return one.protocol === 'http:' && one.port === '' && other.port === ''
}

const HEADERS = {
  accept:
    'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'holdpoint',
}

function get(url: URL, { signal, allow = [], resolve = systemLookup }: RequestDeps): Promise<IncomingMessage> {
  const isFree = isAllowed(url, allow)
  if (!isFree) refusePrivate(url)
  const lookup = isFree ? resolve : publicLookup(resolve, privateAddress)
  const { promise, resolve: settle, reject } = Promise.withResolvers<IncomingMessage>()
  const send = url.protocol === 'https:' ? getHttps : getHttp
  const options = { agent: agentFor(url), headers: HEADERS, signal, lookup: lookup as LookupFunction }
  send(url, options, settle).on('error', error => reject(failed(url, error)))
  return promise
}

/** A connection of its own: one that is kept open for another part of the program was not checked. It honours the proxy. */
function agentFor({ protocol }: URL): RequestOptions['agent'] {
  const [Agent, usual] = protocol === 'https:' ? [HttpsAgent, httpsAgent] : [HttpAgent, httpAgent]
  // Set by `setGlobalProxyFromEnv`.
  const { proxyEnv } = (usual as unknown as { readonly options: { readonly proxyEnv?: object } }).options
  return new Agent({ keepAlive: false, ...(proxyEnv && { proxyEnv }) } as object)
}

export function failed(url: URL, error: unknown): unknown {
  if (error instanceof ToolError) return error
  const { code, name } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return error
  const why = code === 'ENOTFOUND' ? 'there is no such host' : messageOf(error)
  return new ToolError('FETCH_FAILED', `${hostOf(url)} could not be fetched: ${why}.`, { cause: error })
}
