/** Who holds leases here, and whether somebody who does is still there. */
export interface Liveness {
  /** Names this process among all that reach the store. */
  readonly self: string
  /** True only when that owner certainly is gone: then its lease need not run out first. */
  isGone(owner: string): boolean
}
