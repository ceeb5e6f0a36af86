import type { AdvanceFailure } from '../../core/advancing/stuck-run.ts'
import { RUN_STATUSES } from '../../core/journal/thread.ts'
import type { HoldScope } from '../../core/run/profile.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { EXPORTED } from './bundle-row.ts'
import { json, number, oneOf, orNull, orNullKept, text, time } from './decode/cells.ts'
import { damageOf, decodeRow, type Row } from './decode/decode-row.ts'
import { isText, isTime, objectWith, orNull as shapeOrNull } from './decode/shapes.ts'

/** The columns that `runIn` reads, of runs `r`, threads `t` and exports `x`. */
export const RUN_COLUMNS = `r.id, r.thread, t.id AS thread_id, r.agent, r.status, r.hold_scope, r.parent_run_id, r.checkpoint_id,
  r.ended, r.created_at, r.updated_at, r.lease_owner, r.lease_until, r.fence, r.failure, r.retry_at, x.record AS exported`

const FAILURE = objectWith({ code: isText, message: isText, hint: shapeOrNull(isText), at: isTime })

const SCOPES: readonly HoldScope[] = ['batch', 'call']

const CELLS = {
  ...{ id: text(), thread_id: text(), agent: text() },
  // A damaged status makes no run continue.
  status: oneOf(RUN_STATUSES, 'waiting'),
  hold_scope: oneOf(SCOPES, 'batch'),
  ...{ parent_run_id: orNull(text()), checkpoint_id: orNull(text()), ended: orNull(text()) },
  ...{ created_at: time, updated_at: time },
  ...{ lease_owner: orNull(text()), lease_until: orNull(time), fence: number },
  retry_at: orNull(time),
  exported: orNullKept(EXPORTED),
  failure: orNull(json<AdvanceFailure | null>(FAILURE, 'a failure', null)),
}

export function runIn(row: Row): RunRow {
  const cells = decodeRow(CELLS, row)
  const { lease_owner: owner, lease_until, fence } = cells
  return {
    id: cells.id,
    thread_id: cells.thread_id,
    agent: cells.agent,
    status: cells.status,
    hold_scope: cells.hold_scope,
    parent_run_id: cells.parent_run_id,
    checkpoint_id: cells.checkpoint_id,
    ended: cells.ended,
    created_at: cells.created_at,
    updated_at: cells.updated_at,
    lease: owner === null ? null : { owner, until: lease_until ?? time.instead, fence },
    retry_at: cells.retry_at,
    exported: cells.exported,
    failure: cells.failure,
    ...damageOf(cells),
  }
}
