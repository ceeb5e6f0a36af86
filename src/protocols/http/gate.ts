import type { Role } from '../../core/people/role.ts'
import type { Problem } from './problem.ts'

/** Who sends a request, as proven by its credentials. */
export interface Caller {
  readonly name: string
  readonly role: Role
}

export interface Gate {
  /** Names under which the server may be addressed, without ports. */
  readonly hosts: readonly string[]
  /** Whether it is also addressed by number: a page that rebinds a name cannot do that. */
  readonly anyAddress: boolean
  /** Finds the caller by its bearer token; `null` for an unknown token. */
  readonly identify: (bearer: string) => Promise<Caller | null>
}

/** As a URL has them, which knows no other hosts of digits or in brackets. */
const IS_ADDRESS = /^[\d.]+$|^\[/
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Finds out who may enter. A request that a browser sends for the page of another site is refused before any token is
 * compared, with the right token too.
 */
export async function admit(request: Request, gate: Gate): Promise<Caller | Problem> {
  return objectionToSource(request, gate) ?? identified(request, gate)
}

/** Why a request may not come from there; `null` if it may. */
export function objectionToSource({ headers }: Request, gate: Gate): Problem | null {
  if (!isAddressed(headers.get('host'), gate)) return NOT_ADDRESSED
  const origin = headers.get('origin')
  return origin === null || isOwnOrigin(origin, gate) ? null : FOREIGN_ORIGIN
}

async function identified({ headers }: Request, gate: Gate): Promise<Caller | Problem> {
  const bearer = bearerIn(headers)
  if (bearer === undefined) return unauthorized('token_missing', 'Every request needs `Authorization: Bearer TOKEN`.')
  const caller = await gate.identify(bearer)
  return caller ?? unauthorized('invalid_token', 'That is not a token of this server.', ', error="invalid_token"')
}

/** The token of a request; `undefined` without one. */
export function bearerIn(headers: Headers): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
}

const NOT_ADDRESSED: Problem = {
  status: 403,
  code: 'host_not_allowed',
  detail: 'This server is not addressed by that Host.',
}

const FOREIGN_ORIGIN: Problem = {
  status: 403,
  code: 'origin_not_allowed',
  detail: 'Pages of that Origin may not use this server.',
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

function unauthorized(code: string, detail: string, more = ''): Problem {
  return { status: 401, code, detail, headers: { 'www-authenticate': `Bearer realm="holdpoint"${more}` } }
}
