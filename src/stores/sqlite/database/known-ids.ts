import { loadSqlite } from './load-sqlite.ts'
import { openUnchanged } from './open-unchanged.ts'

/** The kinds of things that have ids in a store. */
export type IdKind = 'hold' | 'call' | 'run' | 'session' | 'checkpoint' | 'task' | 'grant'

/** An id, and what it is of in a few words. */
export interface KnownId {
  readonly id: string
  readonly about: string
}

/** Selects ids that a person may mean, the newest first. `?1` is the beginning of the id, or empty. */
const QUERIES: Record<IdKind, string> = {
  hold: `SELECT id, kind || coalesce(' of ' || tool, '') AS about FROM holds WHERE status = 'open' AND %`,
  call: `SELECT call_id AS id, kind || coalesce(' of ' || tool, '') AS about FROM holds
    WHERE status = 'open' AND call_id IS NOT NULL AND %`,
  run: `SELECT id, status || ' ' || agent AS about FROM runs WHERE %`,
  session: `SELECT id, (SELECT status || ' ' || agent FROM runs WHERE thread = threads.number ORDER BY number DESC LIMIT 1)
    AS about FROM threads WHERE %`,
  checkpoint: `SELECT checkpoint_id AS id, status || ' ' || agent AS about FROM runs WHERE checkpoint_id IS NOT NULL AND %`,
  task: `SELECT id, status || ' ' || title AS about FROM tasks WHERE %`,
  grant: `SELECT id, tool || ' of ' || agent AS about FROM grants WHERE revoked_at IS NULL AND %`,
}

const COLUMNS: Partial<Record<IdKind, string>> = { call: 'call_id', checkpoint: 'checkpoint_id' }

/** More are no choice for a person. */
const MOST = 50

/**
 * Ids that begin with `beginning`, read without opening the store: nothing is made, migrated or locked.
 * @throws Error in the words of SQLite, if it cannot be read
 */
export async function knownIds(path: string, kinds: readonly IdKind[], beginning: string): Promise<KnownId[]> {
  using database = openUnchanged(await loadSqlite(), path, 100)
  return kinds.flatMap(kind => {
    const column = COLUMNS[kind] ?? 'id'
    const where = QUERIES[kind].replace('%', `substr(${column}, 1, length(?1)) = ?1`)
    const rows = database.prepare(`${where} ORDER BY number DESC LIMIT ${MOST}`).all(beginning)
    return rows.map(row => ({ id: String(row['id']), about: String(row['about']) }))
  })
}
