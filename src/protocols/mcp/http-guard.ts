import { createHash, timingSafeEqual } from 'node:crypto'

export interface Gate {
  /** What every request must bear. */
  readonly token: string
  /** Names under which this may be addressed, without ports. */
  readonly hosts: readonly string[]
  /** Whether it is also addressed by number: a page that rebinds a name cannot do that. */
  readonly anyAddress: boolean
}

/** As a URL has them, which knows no other hosts of digits or in brackets. */
const IS_ADDRESS = /^[\d.]+$|^\[/
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Why a request may not enter; `null` where it may. What a browser sends on behalf of somebody else's page is turned away
 * before anything is compared, with or without a token.
 */
export function turnedAway(request: Request, gate: Gate): Response | null {
  if (!isAddressed(request.headers.get('host'), gate)) return refusal(403, 'This server is not addressed by that Host.')
  const origin = request.headers.get('origin')
  if (origin !== null && !isOwnOrigin(origin, gate))
    return refusal(403, 'Pages of that Origin may not use this server.')
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (bearer === undefined) return unauthorized('Every request needs `Authorization: Bearer TOKEN`.', '')
  if (!isSame(bearer, gate.token))
    return unauthorized('That is not the token of this server.', ', error="invalid_token"')
  return null
}

function isAddressed(host: string | null, { hosts, anyAddress }: Gate): boolean {
  const name = host === null ? null : hostname(`http://${host}`)
  if (name === null) return false
  return LOOPBACK.includes(name) || hosts.includes(name) || (anyAddress && IS_ADDRESS.test(name))
}

function isOwnOrigin(origin: string, { hosts }: Gate): boolean {
  const name = hostname(origin)
  return name !== null && (LOOPBACK.includes(name) || hosts.includes(name))
}

function hostname(url: string): string | null {
  const parsed = URL.parse(url)
  return parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.hostname : null
}

/** Takes as long for any two texts. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function unauthorized(message: string, more: string): Response {
  return refusal(401, message, { 'www-authenticate': `Bearer realm="holdpoint"${more}` })
}

const REFUSED = -32_000

/** As a client of MCP expects it, also where no message could be read. */
export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = REFUSED,
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}
