import type { Decision, DecisionInput } from '../../core/hold/decision.ts'
import type { Membership } from '../../core/people/membership.ts'
import { includesRole, type Role } from '../../core/people/role.ts'
import type { Problem } from './problem.ts'
import { type Proof, type ProofPlaces, proofIn } from './proof.ts'
import { IS_JSON, NO_JSON_TYPE } from './read-json.ts'
import type { Cookies } from './session-cookie.ts'

/** The sender of a request, as proven by its credentials. */
export interface Caller {
  readonly name: string
  readonly role: Role
  /** Names from the proof, without `@`. Default: none. */
  readonly groups?: readonly string[]
  /** The groups of the project that were proven of them. Default: none. */
  readonly member_of?: Membership | null
}

/**
 * The signature of a caller for a decision: the name, and the groups that the proof names. Fields of a body never
 * change either.
 */
export function signerOf({ name, member_of }: Caller): Pick<Decision, 'decided_by' | 'member_of'> {
  return { decided_by: name, ...(member_of && { member_of }) }
}

/** The signature with the rights of the caller: a decider edits only within the request. */
export function deciderOf(caller: Caller): Pick<DecisionInput, 'decided_by' | 'member_of' | 'editor'> {
  return { ...signerOf(caller), editor: includesRole(caller.role, 'operator') }
}

export interface Gate extends ProofPlaces {
  /** Names under which the server may be addressed, without ports. */
  readonly hosts: readonly string[]
  /** Whether it is also addressed by number: a page that rebinds a name cannot do that. */
  readonly anyAddress: boolean
  /** Finds the caller by its proof; `null` if that counts for nothing, or for nothing any more. */
  readonly identify: (proof: Proof) => Promise<Caller | null>
}

/** A caller, and the proof that a stream is held to. */
export interface Admitted {
  readonly caller: Caller
  readonly proof: Proof
}

/** The host names of a URL that are addresses: digits, or in brackets. */
const IS_ADDRESS = /^[\d.]+$|^\[/
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Finds out who may enter. A request that a browser sends for the page of another site is refused before any token is
 * compared, with the right token too.
 */
export async function admit(request: Request, gate: Gate): Promise<Admitted | Problem> {
  return objectionToSource(request, gate) ?? identified(request, gate)
}

/** Why a request may not come from there; `null` if it may. */
export function objectionToSource({ headers }: Request, gate: Gate): Problem | null {
  if (!isAddressed(headers.get('host'), gate)) return NOT_ADDRESSED
  const origin = headers.get('origin')
  return origin === null || isOwnOrigin(origin, gate) ? null : FOREIGN_ORIGIN
}

async function identified(request: Request, gate: Gate): Promise<Admitted | Problem> {
  const proof = proofIn(request, gate)
  if (proof === null) return unauthorized('token_missing', 'Every request needs `Authorization: Bearer TOKEN`.')
  const objection = proof.kind === 'token' ? null : objectionToPage(request, gate.cookies)
  if (objection) return objection
  const caller = await gate.identify(proof)
  return caller ? { caller, proof } : refusedProof(proof)
}

function refusedProof({ kind }: Proof): Problem {
  if (kind === 'token')
    return unauthorized('invalid_token', 'That is not a token of this server.', ', error="invalid_token"')
  const detail = kind === 'session' ? 'You are signed out.' : 'The proxy does not prove who you are.'
  return { ...unauthorized('signed_out', detail), hint: 'Sign in again.' }
}

/**
 * Why a request may not count that proves itself without its sender's doing; `null` if it may. It must come from a page of
 * this server: pages of other ports and names of this machine are other sites here.
 */
export function objectionToPage({ method, headers }: Request, cookies: Cookies = 'plain'): Problem | null {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')]
  if (site !== null && site !== 'same-origin' && site !== 'none') return FOREIGN_ORIGIN
  if (origin !== null && !isSameSite(origin, headers.get('host'), cookies)) return FOREIGN_ORIGIN
  if (method === 'GET' || method === 'HEAD') return null
  if (origin === null) return NO_ORIGIN
  const type = headers.get('content-type')
  return type === null || IS_JSON.test(type.trim()) ? null : NO_JSON_TYPE
}

/** Ports count, unless they are the usual ones. An attacker in between could have written a page that came unencrypted. */
function isSameSite(origin: string, host: string | null, cookies: Cookies): boolean {
  const page = URL.parse(origin)
  if (cookies === 'secure' && page?.protocol !== 'https:') return false
  return page !== null && page.host !== '' && page.host === URL.parse(`${page.protocol}//${host}`)?.host
}

const NOT_ADDRESSED: Problem = {
  status: 403,
  code: 'host_not_allowed',
  detail: 'This server is not addressed by that Host.',
}

const NO_ORIGIN: Problem = {
  status: 403,
  code: 'origin_missing',
  detail: 'A request that changes something needs an Origin, or a token of its own. Nothing was done.',
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
