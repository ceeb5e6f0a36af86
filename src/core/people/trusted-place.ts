/** The namespaces of a machine in which a process is, since one start of that machine. */
export interface PlaceName {
  /** The start of the machine. */
  readonly boot: string
  /** The namespaces of process ids, mounts and users. */
  readonly namespaces: string
}

/** A place whose processes decide, unless they run in a command of an agent (P1, docs/security.md). */
export interface TrustedPlace extends PlaceName {
  /** `null` for the place in which the store was first used since that start. */
  readonly trusted_by: string | null
  /** ISO time; `null` if its row was damaged there: the place counts all the same. */
  readonly trusted_at: string | null
}
