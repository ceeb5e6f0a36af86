import { existsSync } from 'node:fs'
import { type DatabaseSync, openDatabase } from '../open-database.ts'
import type { Project } from './project.ts'

export interface Written {
  readonly thread: string
  readonly seq: number
  readonly run: string
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: events are checked by the tests that read them
  readonly data: any
}

/** Every event in the project's store, oldest first; empty where nothing was stored yet. */
export function journalOf(project: Project): Written[] {
  return eventsIn(project.path('.holdpoint', 'holdpoint.db'))
}

/** Every event in a store's file, oldest first; empty where nothing was stored yet. */
export function eventsIn(store: string): Written[] {
  if (!existsSync(store)) return []
  // Only looks: whatever a dead process left there, the next one has to cope with it.
  using database = openDatabase(store, { readOnly: true })
  return eventsOf(database)
}

export function eventsOf(database: DatabaseSync): Written[] {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined) return []
  return database
    .prepare('SELECT id, place, run_id, kind, data FROM events JOIN threads ON number = place / 4194304 ORDER BY place')
    .all()
    .map(({ id, place, run_id, kind, data }) => ({
      thread: String(id),
      seq: Number(place) % 4194304,
      run: String(run_id),
      kind: String(kind),
      data: JSON.parse(String(data)),
    }))
}
