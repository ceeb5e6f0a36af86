/** The rights of a caller of the server. Each role has those of the roles before it. */
export type Role = 'viewer' | 'decider' | 'operator' | 'admin'

/** From the fewest rights to the most. */
export const ROLES: readonly Role[] = ['viewer', 'decider', 'operator', 'admin']

/** True if a caller with the role `has` may do all that `needed` may. */
export function includesRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}
