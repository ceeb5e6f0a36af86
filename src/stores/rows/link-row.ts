import type { ChannelKind } from '../../core/notice/notice-event.ts'
import type { Link } from '../../ports/store/people/links.ts'
import { isoTimeOrNull } from './iso-times.ts'

export function asLink(row: Readonly<Record<string, unknown>>): Link {
  return {
    digest: String(row['digest']),
    hold_id: String(row['hold_id']),
    person: String(row['person']),
    channel: String(row['channel']) as ChannelKind,
    level: Number(row['level']),
    assignee: row['assignee'] as string | null,
    created_at: new Date(Number(row['created_at'])).toISOString(),
    expires_at: isoTimeOrNull(row['expires_at']),
    used_at: isoTimeOrNull(row['used_at']),
  }
}
