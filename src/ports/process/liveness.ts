/** The name of this owner of leases, and whether another owner still lives. */
export interface Liveness {
  /** Names this process among all that reach the store. */
  readonly self: string
  /** True only when that owner certainly is gone: then its lease need not run out first. */
  isGone(owner: string): boolean
}
