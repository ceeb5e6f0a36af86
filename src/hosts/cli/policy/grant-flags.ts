import { GRANT_SCOPES, type GrantInput } from '../../../core/hold/grant.ts'
import { oneOf, timeAhead } from '../../command/flag-values.ts'
import type { Given } from '../../command/flags.ts'
import { systemClock } from '../../process/system-clock.ts'
import { policyRefusals } from '../../refusals/policy-refusals.ts'

const ABOUT_A_GRANT: readonly string[] = ['scope', 'expires', 'match']

/** The grant that an approval adds; `null` if there is none. @throws RefusedError `invalid_arguments` */
export function grantIn(given: Given): GrantInput | null {
  const name = given.value('always')
  if (name === null) {
    const flag = ABOUT_A_GRANT.find(each => given.has(each))
    if (flag === undefined) return null
    throw policyRefusals.grantNotNamed(flag)
  }
  const expires = given.value('expires')
  return {
    name,
    scope: oneOf(given, 'scope', GRANT_SCOPES) ?? 'run',
    match: matchIn(given.values('match')),
    expires_at: expires === null ? null : timeAhead(expires, 'expires', systemClock.now()),
  }
}

/** @throws RefusedError `invalid_arguments` */
export function matchIn(given: readonly string[]): Record<string, string> | null {
  if (given.length === 0) return null
  const match = new Map<string, string>()
  for (const text of given) {
    const at = text.indexOf('=')
    if (at < 1) throw policyRefusals.invalidMatch(`--match ${JSON.stringify(text)} names no argument.`)
    const name = text.slice(0, at)
    if (match.has(name)) throw policyRefusals.invalidMatch(`--match names the argument ${JSON.stringify(name)} twice.`)
    match.set(name, text.slice(at + 1))
  }
  return Object.fromEntries(match)
}
