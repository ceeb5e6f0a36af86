import type { ChannelKind, NoticeEvent } from '../../core/notice/notice-event.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { NoticeStatus, StoredNotice } from '../../ports/store/people/notices.ts'
import { isoTimeOrNull } from './iso-times.ts'

export function asNotice(row: Readonly<Record<string, unknown>>): StoredNotice {
  return {
    id: String(row['id']),
    hold_id: String(row['hold_id']),
    event: String(row['event']) as NoticeEvent,
    about: String(row['about']),
    at: new Date(Number(row['at'])).toISOString(),
    person: row['person'] as string | null,
    channel: String(row['channel']) as ChannelKind,
    address: String(row['address']),
    status: String(row['status']) as NoticeStatus,
    tries: Number(row['tries']),
    next_at: isoTimeOrNull(row['next_at']),
    sent: row['sent'] === null ? null : (JSON.parse(String(row['sent'])) as JsonObject),
    sent_at: isoTimeOrNull(row['sent_at']),
    digest: row['digest'] as string | null,
    error: row['error'] as string | null,
    created_at: new Date(Number(row['created_at'])).toISOString(),
  }
}
