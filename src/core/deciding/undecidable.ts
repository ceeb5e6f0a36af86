import { RefusedError } from '../errors.ts'
import type { Hold } from '../hold/hold.ts'
import type { RefusalCode } from '../refusal-codes.ts'

/** P9: no person can decide what cannot be shown. `null` if all of its row can be read. */
export function unreadableHold({ id, unreadable }: Pick<Hold, 'id' | 'unreadable'>): RefusedError | null {
  if (!unreadable) return null
  const message = `The row of the hold ${id} in the store was damaged: ${unreadable.problem}. It cannot be decided or assigned.`
  return new RefusedError('hold_unreadable', message, {
    hint: 'Nothing was changed. Cancel its run, or restore the store from a backup.',
  })
}

/**
 * P3: work without a known end may run again; work that certainly still runs may not. `null` if it may be decided so.
 */
export function runsBeside(
  { id, tool, kind, still_running }: Hold,
  { verdict }: { verdict: string },
): RefusedError | null {
  if (kind !== 'in_doubt' || verdict !== 'approve' || still_running?.standing !== 'running') return null
  const message = `${tool} of ${id} cannot be run again beside itself, so nothing was recorded. ${still_running.text}`
  return new RefusedError('still_running', message, {
    hint: 'Decide once it has ended, or say now what became of it: respond, reject or cancel.',
    action: { do: 'look_at_hold', id },
  })
}

/** The hold is not open, or its run has ended. */
export function noLongerOpen(hold: Hold): RefusedError {
  const [code, meaning] = NO_LONGER_OPEN[hold.status]
  return new RefusedError(code, `The hold ${hold.id} ${meaning(hold)}. It can no longer be decided.`, {
    hint: 'Nothing was changed.',
    action: { do: 'look_at_hold', id: hold.id },
    ...(hold.decision && { details: { winner: hold.decision } }),
  })
}

const NO_LONGER_OPEN: Readonly<Record<Hold['status'], readonly [code: RefusalCode, meaning: (hold: Hold) => string]>> =
  {
    open: ['run_done', () => 'belongs to a run that has come to its end'],
    decided: ['hold_decided', () => 'was decided'],
    expired: [
      'hold_expired',
      ({ due_at, decision }) =>
        `was due at ${due_at} and nobody had decided by then, so it was ${ENDED_BY[decision?.verdict ?? ''] ?? 'closed'}`,
    ],
    exported: ['exported', () => 'moved to another store with its thread'],
    withdrawn: ['hold_withdrawn', () => 'was withdrawn: its run was cancelled, got a new message or came to its end'],
  }

const ENDED_BY: Readonly<Record<string, string>> = { approve: 'approved', reject: 'rejected', cancel: 'cancelled' }
