import type { IdKind, KnownId } from '../../stores/sqlite/database/known-ids.ts'

export type { IdKind, KnownId } from '../../stores/sqlite/database/known-ids.ts'

/** Ids of a store that begin so, read from its file without opening the store. */
export async function knownIds(file: string, kinds: readonly IdKind[], beginning: string): Promise<KnownId[]> {
  return (await import('../../stores/sqlite/database/known-ids.ts')).knownIds(file, kinds, beginning)
}
