import type { PoolClient } from 'pg'
import { RefusedError } from '../../../../core/errors.ts'
import { readMark } from '../../../copy/copy-mark.ts'
import { unfinishedCopy } from '../../../copy/copy-refusals.ts'
import { migrate, versionOf } from './migrate.ts'

/** How a schema is opened. */
export interface Opening {
  /** If true, a store that is not there is refused instead of made: looking makes none. */
  readonly mustExist?: boolean
  /** If true, a copy that is not all there yet is opened as well. */
  readonly mayBeUnfinished?: boolean
}

interface Place {
  readonly schema: string
  /** The URL of the store without its password. */
  readonly display: string
}

/** Makes or migrates the schema. @throws RefusedError `no_store`, `store_copy_unfinished`; StoreError */
export async function openSchema(client: PoolClient, { schema, display }: Place, opening: Opening): Promise<void> {
  if (opening.mustExist && (await versionOf(client, schema)) === 0) throw noStore({ schema, display })
  await migrate(client, schema)
  if (opening.mayBeUnfinished) return
  const { rows } = await client.query(`SELECT record FROM "${schema}".store_copy`)
  const mark = readMark(rows[0]?.record)
  if (mark?.role === 'target' && mark.state === 'under_way') throw unfinishedCopy(mark, display)
}

export function noStore({ schema, display }: Place): RefusedError {
  return new RefusedError(
    'no_store',
    `There is no store here: the schema ${schema} of ${display} has no tables of Holdpoint, so nothing was run here yet.`,
    { hint: 'Start a run with `holdpoint "…"`, or name another schema with ?schema=NAME. Nothing was made.' },
  )
}
