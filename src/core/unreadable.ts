/** The damage of a row. The fields from these columns have stand-ins, and nothing may be done by them. */
export interface Unreadable {
  readonly columns: readonly string[]
  /** In words: `its asked is not the JSON of a request`. */
  readonly problem: string
}

/** A row that a list gives also if it was damaged: one bad row hides no other one. */
export interface MaybeUnreadable {
  /** Left out if all of it can be read. */
  readonly unreadable?: Unreadable
}

/** The text for people: what happened, and what it means. */
export function unreadableText(what: string, { problem }: Unreadable): string {
  return `This ${what} cannot be read: ${problem}. Its row in the store was damaged.`
}
