import type { SealKey } from '../../../core/audit/record-seal.ts'
import type { CopySource, Purpose } from '../../copy/copy-ends.ts'
import { SqlCopySource } from '../../sql/copy/sql-copy-source.ts'
import { storeRefusals } from '../../store-refusals.ts'
import { inspectDatabase } from '../database/inspect-database.ts'
import { Pool } from '../database/pool.ts'
import { PostgresDriver } from '../postgres-driver.ts'
import { blockIn } from './write-block.ts'

/** @throws RefusedError `no_store`; StoreError */
export async function openSource(
  url: string,
  { purpose, sealKey }: { readonly purpose: Purpose; readonly sealKey: SealKey | null },
): Promise<CopySource> {
  const { schema, newest } = await inspectDatabase(url)
  const isOpened = schema > 0 && (purpose === 'copy' || schema >= newest)
  const pool = await (isOpened ? Pool.open(url, null, { mayBeUnfinished: true, sealKey }) : Pool.unopened(url))
  if (schema > 0) return new SqlCopySource(new PostgresDriver(pool), blockIn(pool.schema), pool)
  await pool[Symbol.asyncDispose]()
  throw storeRefusals.noTables(pool)
}
