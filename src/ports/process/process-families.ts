/** A process and what it started. */
export interface Family {
  /** Leader of its own session and process group; `null`: not known, so that only the mark identifies the family. */
  readonly leader: number | null
  /**
   * When the leader began (`ProcessNames.find`): once its id names another process, only the mark identifies the
   * family.
   */
  readonly started?: string | null
  /** A text found in the environment of no other family; `null`: daemons that cut every tie are not part of it. */
  readonly mark: string | null
}

/** Stops processes together with what they started. */
export interface ProcessFamilies {
  signal(family: Family, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void
  /** True as soon as nothing of the family runs, false when `withinMs` passed first. */
  isGone(family: Family, withinMs: number): Promise<boolean>
}
