import { DatabaseSync } from 'node:sqlite'
import type { Project } from './project.ts'

export interface Written {
  readonly seq: number
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: events are checked by the tests that read them
  readonly data: any
}

/** Every event in the store's file, oldest first; empty where nothing was stored yet. */
export function journalOf(project: Project): Written[] {
  if (!project.exists('.holdpoint', 'holdpoint.db')) return []
  using database = new DatabaseSync(project.path('.holdpoint', 'holdpoint.db'))
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined) return []
  return database
    .prepare('SELECT place, kind, data FROM events ORDER BY place')
    .all()
    .map(({ place, kind, data }) => ({
      seq: Number(place) % 2 ** 22,
      kind: String(kind),
      data: JSON.parse(String(data)),
    }))
}
