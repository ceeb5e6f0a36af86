/** The rights of a caller of the server. Each role has those of the roles before it. */
export type Role = (typeof ROLES)[number]

/** From the fewest rights to the most. */
export const ROLES = ['viewer', 'decider', 'operator', 'admin'] as const

/** True if a caller with the role `has` may do all that `needed` may. */
export function includesRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}
