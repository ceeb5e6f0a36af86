import type { RunStatus } from '../../core/journal/thread.ts'
import type { Exported } from '../../core/run/exported.ts'
import type { HoldScope } from '../../core/run/profile.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { RunRow } from '../../ports/store/runs.ts'

/** Those that `runIn` reads, of runs `r`, threads `t` and exports `x`. */
export const RUN_COLUMNS = `r.id, r.thread, t.id AS thread_id, r.agent, r.status, r.hold_scope, r.parent_run_id, r.checkpoint_id,
  r.ended, r.created_at, r.updated_at, r.lease_owner, r.lease_until, r.fence, x.record AS exported`

export function runIn(row: Readonly<Record<string, unknown>>): RunRow {
  const { lease_owner: owner, lease_until: until } = row
  return {
    id: String(row['id']),
    thread_id: String(row['thread_id']),
    agent: String(row['agent']),
    status: row['status'] as RunStatus,
    hold_scope: row['hold_scope'] as HoldScope,
    parent_run_id: textOrNull(row['parent_run_id']),
    checkpoint_id: textOrNull(row['checkpoint_id']),
    ended: textOrNull(row['ended']),
    created_at: timeIn(row['created_at']),
    updated_at: timeIn(row['updated_at']),
    lease: owner === null ? null : { owner: String(owner), until: timeIn(until), fence: Number(row['fence']) },
    exported: row['exported'] === null ? null : (JSON.parse(String(row['exported'])) as Exported),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}

function timeIn(milliseconds: unknown): string {
  return isoTime(Number(milliseconds))
}
