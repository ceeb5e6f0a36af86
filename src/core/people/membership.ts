/** The groups that a person is in, by the word of the system at which they signed in. */
export interface Membership {
  /** The groups as the project names them, without `@`. */
  readonly groups: readonly string[]
  readonly proven_by: 'provider' | 'proxy'
  /** The issuer of the provider, or of the proxy, that proved it. */
  readonly issuer: string
}

/** The groups of the other system that are in each group of this project. */
export type ProvenGroups = Readonly<Record<string, readonly string[]>>

/** `said` are the groups as the other system names them. `null` for a person who is in no group of the project. */
export function membershipOf(
  claimed: readonly string[],
  proven: ProvenGroups,
  by: Pick<Membership, 'proven_by' | 'issuer'>,
): Membership | null {
  const groups = Object.keys(proven).filter(group => proven[group]?.some(name => claimed.includes(name)))
  return groups.length > 0 ? { groups, ...by } : null
}

/** True for a membership as a store can keep it. */
export function isMembership(value: unknown): value is Membership {
  const { groups, proven_by, issuer } = (value ?? {}) as Partial<Record<keyof Membership, unknown>>
  const isBy = proven_by === 'provider' || proven_by === 'proxy'
  return Array.isArray(groups) && groups.every(group => typeof group === 'string') && isBy && typeof issuer === 'string'
}
