import type { PoolClient } from 'pg'
import type { SealKey } from '../../../../core/audit/record-seal.ts'
import { readMark } from '../../../copy/copy-mark.ts'
import { copyRefusals } from '../../../copy/copy-refusals.ts'
import { storeRefusals } from '../../../store-refusals.ts'
import { migrate, versionOf } from './migrate.ts'

/** How a schema is opened. */
export interface Opening {
  /** If true, a store that is not there is refused instead of made: looking makes none. */
  readonly mustExist?: boolean
  /** If true, a copy that is not all there yet is opened as well. */
  readonly mayBeUnfinished?: boolean
  /** The key that seals records. Default: none gets a seal. */
  readonly sealKey?: SealKey | null
}

interface Place {
  readonly schema: string
  /** The URL of the store without its password. */
  readonly display: string
}

/** Makes or migrates the schema. @throws RefusedError `no_store`, `store_copy_unfinished`; StoreError */
export async function openSchema(client: PoolClient, { schema, display }: Place, opening: Opening): Promise<void> {
  if (opening.mustExist && (await versionOf(client, schema)) === 0) throw storeRefusals.noTables({ schema, display })
  await migrate(client, schema)
  if (opening.mayBeUnfinished) return
  const { rows } = await client.query(`SELECT record FROM "${schema}".store_copy`)
  const mark = readMark(rows[0]?.record)
  if (mark?.role === 'target' && mark.state === 'under_way') throw copyRefusals.unfinishedCopy(mark, display)
}
