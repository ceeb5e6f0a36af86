import type { ChannelKind, NoticeEvent } from '../../core/notice/notice-event.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { NoticeStatus, StoredNotice } from '../../ports/store/people/notices.ts'
import { json, number, oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { isObject } from './decode/shapes.ts'

export const CHANNELS: readonly ChannelKind[] = ['webhook', 'command', 'slack', 'mail', 'github', 'push']

const EVENTS: readonly NoticeEvent[] = [
  ...(['opened', 'reminded', 'escalated', 'assigned', 'unclear', 'refused'] as const),
  ...(['voted', 'decided', 'expired', 'withdrawn', 'ended', 'waits_for_model'] as const),
]
const STATUSES: readonly NoticeStatus[] = ['due', 'sent', 'changed', 'failed', 'dropped']

const CELLS = {
  ...{ id: text(), hold_id: text() },
  event: oneOf(EVENTS, 'opened'),
  about: text(),
  at: time,
  person: orNull(text()),
  channel: oneOf(CHANNELS, 'webhook'),
  address: text(),
  status: oneOf(STATUSES, 'failed'),
  tries: number,
  next_at: orNull(time),
  sent: orNull(json<JsonObject | null>(isObject, 'what was sent', null)),
  sent_at: orNull(time),
  digest: orNull(text()),
  error: orNull(text()),
  created_at: time,
}

export function asNotice(row: Row): StoredNotice {
  return decodeRow(CELLS, row)
}
