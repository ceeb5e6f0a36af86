import type { FileInspection } from '../../stores/sqlite/database/inspect-file.ts'

/** Looks at the file of a store without opening the store: nothing is made, migrated or locked. */
export async function inspectStore(file: string, options: { readonly deep: boolean }): Promise<FileInspection> {
  return (await import('../../stores/sqlite/database/inspect-file.ts')).inspectFile(file, options)
}
