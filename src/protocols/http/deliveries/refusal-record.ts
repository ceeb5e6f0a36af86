import type { Audit, TurnedAway } from '../../../runtime/face/audit.ts'

export interface RefusalRecordDeps {
  readonly audit: Pick<Audit, 'turnedAway'>
  /** Milliseconds since any fixed time. */
  readonly now: () => number
}

export type RecordRefusal = (refusal: TurnedAway) => Promise<void>

const PER_MINUTE = 20
const MINUTE_MS = 60_000

/**
 * P10: records refused senders. A flood of forged requests does not fill the disk: 20 of a minute are recorded, and
 * the next record counts the others.
 */
export function refusalRecord({ audit, now }: RefusalRecordDeps): RecordRefusal {
  let [began, recorded, unrecorded] = [Number.NEGATIVE_INFINITY, 0, 0]
  return async refusal => {
    // A clock that is set back begins a minute too.
    if (Math.abs(now() - began) >= MINUTE_MS) [began, recorded] = [now(), 0]
    if (recorded >= PER_MINUTE) {
      unrecorded += 1
      return
    }
    recorded += 1
    const missed = unrecorded
    unrecorded = 0
    await audit.turnedAway(missed === 0 ? refusal : { ...refusal, unrecorded: missed })
  }
}
