import type { People } from '../../notice/person.ts'
import { personAt } from '../../notice/recipients.ts'
import { isSignableName } from '../../people/access-token.ts'
import { ROLES, type Role } from '../../people/role.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import type { ClaimSettings } from './sign-in-settings.ts'

/** A person of another system, as this one knows them. */
export interface ClaimedPerson {
  readonly name: string
  readonly role: Role
  readonly groups: readonly string[]
}

/** Why the claims name no person who is known here, in words. */
export interface ClaimProblem {
  readonly problem: string
}

/**
 * The person of the `claims` of a provider or a proxy. If `people` has their verified mail address, they have the name
 * that it belongs to there.
 */
export function claimedPerson(
  claims: JsonObject,
  settings: ClaimSettings,
  people: People | null,
): ClaimedPerson | ClaimProblem {
  const { name_claim, groups_claim } = settings
  const value = claims[name_claim]
  if (typeof value !== 'string' || value === '') return { problem: `The claim ${name_claim} is missing.` }
  // Some providers let a user claim any address.
  if (name_claim === 'email' && claims['email_verified'] !== true)
    return { problem: `The provider has not verified the address ${value}. Another name_claim may fit better.` }
  const name = ownerOf(claims, people) ?? value
  if (!isSignableName(name)) return { problem: `${JSON.stringify(name)} cannot be a name here.` }
  const groups = groupsIn(claims[groups_claim] ?? null)
  const role = roleOf({ name, groups }, settings)
  return role ? { name, role, groups } : { problem: `${name} is in no group that has a role here.` }
}

/** The role with the most rights that the settings give to this name or to one of these groups; `null` without one. */
export function roleOf(
  { name, groups }: Pick<ClaimedPerson, 'name' | 'groups'>,
  { roles }: Pick<ClaimSettings, 'roles'>,
): Role | null {
  return ROLES.findLast(each => roles[each]?.some(who => who === '*' || who === name || groups.includes(who))) ?? null
}

/** An address that several people share names none of them. */
function ownerOf({ email, email_verified }: JsonObject, people: People | null): string | null {
  return email_verified === true && typeof email === 'string' ? personAt(people ?? {}, 'mail', email) : null
}

/**
 * A list, or names with commas between them, as proxies write them. A space is part of a name: "Finance interns" puts
 * no person into Finance.
 */
function groupsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.filter(each => typeof each === 'string')
  if (typeof value === 'string') return value.split(',').flatMap(each => each.trim() || [])
  return isJsonObject(value) ? Object.keys(value) : []
}
