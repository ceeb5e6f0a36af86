/** The words by which the two schemas differ: SQLite keeps an event by its place in the file, PostgreSQL by thread and `seq`. */
export interface Dialect {
  readonly events: {
    /** The columns that place an event, and their values if `?1` is the thread's number and `?2` the `seq`. */
    readonly key: string
    readonly place: string
    /** The condition for events of a thread after a `seq`; both are SQL. */
    behind(thread: string, seq: string): string
    /** The condition for the event at a `seq` of a thread; both are SQL. */
    at(thread: string, seq: string): string
    /** The data of an event `e`, for a check that it can be read. What is not on record need not be more than valid JSON. */
    readonly checkedData: string
    /** The number of an event's thread. */
    readonly thread: string
    /** The `seq` of an event, and the order of events in one thread. */
    readonly seq: string
    readonly order: string
    /** The condition for events of all threads before or after `?1` and `?2`, and their order from either end. */
    readonly before: string
    readonly after: string
    readonly newestFirst: string
    readonly oldestFirst: string
  }
  /** The statement that reads the newest record's `seq` and hash. */
  readonly head: string
  /** The statement that reads the newest record whose loss no journal would show. */
  readonly noted: string
  /** The statement that reads the records without a place; `null` if each gets its place when it is written. */
  readonly pending: string | null
  /** The newest `seq` of a thread `t`. It may be null or negative if the thread has no event. */
  readonly newest: string
  /** True if `threads.newest` counts the events, for who locks a thread. */
  readonly keepsNewest: boolean
  readonly grants: {
    /** The fields that have a column of their own as well as a place in the JSON. */
    readonly columns: readonly ('scope' | 'scope_id' | 'hold_id')[]
    /** The condition for grants that count for some of the places `?1` alone. */
    readonly within: string
    /** The condition for grants that holds of the thread `?1` gave, but for those of the project. */
    readonly ofThread: string
  }
  /** The JSON list `?1` of objects with these fields, as a table. */
  list(fields: Readonly<Record<string, 'text' | 'integer' | 'bigint'>>): string
  /** True if whole rows are better read once their numbers are known, and not sorted. */
  readonly sortsNumbers: boolean
}

/** A text of which each dialect has its own. It is put together once: a new string is hashed anew to find its statement. */
export function textBy(make: (dialect: Dialect) => string): (dialect: Dialect) => string {
  const texts = new Map<Dialect, string>()
  return dialect => {
    const known = texts.get(dialect)
    if (known !== undefined) return known
    const text = make(dialect)
    texts.set(dialect, text)
    return text
  }
}
