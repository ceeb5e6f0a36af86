import type { Link } from '../../ports/store/people/links.ts'
import { number, oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { CHANNELS } from './notice-row.ts'

const CELLS = {
  ...{ digest: text(), hold_id: text(), person: text() },
  channel: oneOf(CHANNELS, 'webhook'),
  level: number,
  assignee: orNull(text()),
  created_at: time,
  // P1: no link lives longer by damage.
  expires_at: orNull(time, time.instead),
  used_at: orNull(time, time.instead),
}

export function asLink(row: Row): Link {
  return decodeRow(CELLS, row)
}
