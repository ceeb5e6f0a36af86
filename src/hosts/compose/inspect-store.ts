import type { DatabaseExamination, ExaminedStore } from '../../stores/postgres/database/examine-database.ts'
import type { FileInspection } from '../../stores/sqlite/database/inspect-file.ts'

export type { DatabaseExamination, ExaminedStore }

/** Looks at the file of a store without opening the store: nothing is made, migrated or locked. */
export async function inspectStore(file: string, options: { readonly deep: boolean }): Promise<FileInspection> {
  return (await import('../../stores/sqlite/database/inspect-file.ts')).inspectFile(file, options)
}

/** Looks at a store in PostgreSQL without opening it: nothing is made or migrated. */
export async function examineDatabase(url: string): Promise<DatabaseExamination> {
  return (await import('../../stores/postgres/database/examine-database.ts')).examineDatabase(url)
}
