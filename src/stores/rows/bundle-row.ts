import type { Exported, Imported } from '../../core/run/exported.ts'
import { type Cell, json, orNull, text } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { isNumber, isText, isTime, objectWith } from './decode/shapes.ts'

const IDS = { bundle_id: isText, thread_id: isText, checkpoint_id: isText, surface: isText }

/** P7: a thread that moved away is not here, whatever became of the note of it. */
const SOMEWHERE: Exported = {
  ...{ bundle_id: 'unreadable', thread_id: 'unreadable', run_id: 'unreadable', checkpoint_id: 'unreadable' },
  ...{ exported_at: new Date(0).toISOString(), exported_by: 'unreadable', surface: 'unreadable' },
}

export const EXPORTED: Cell<Exported> = json<Exported>(
  objectWith({ ...IDS, run_id: isText, exported_at: isTime, exported_by: isText }),
  'an export',
  SOMEWHERE,
)

export function asExported(row: Row): Exported {
  return decodeRow({ record: EXPORTED }, row).record
}

const IMPORTED = objectWith({ ...IDS, after: isNumber, seq: isNumber, imported_at: isTime, imported_by: isText })
const IMPORT = {
  record: orNull(json<Imported | null>(IMPORTED, 'an import', null)),
  bundle_id: text(),
  thread_id: text(),
}

/** If the note is damaged, no event counts as one that came with a bundle. */
export function asImported(row: Row): Imported {
  const { record, bundle_id, thread_id } = decodeRow(IMPORT, row)
  const nothing = { checkpoint_id: 'unreadable', after: 0, seq: 0, imported_at: SOMEWHERE.exported_at }
  return record ?? { bundle_id, thread_id, ...nothing, imported_by: 'unreadable', surface: 'unreadable' }
}
