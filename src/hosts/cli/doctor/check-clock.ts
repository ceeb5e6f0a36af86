import { clockJump } from '../../../core/deadlines/clock-jump.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { systemClock } from '../../process/system-clock.ts'
import { type Finding, warn } from './finding.ts'

/** `now` is the time of the store, in milliseconds since 1970. Nothing is said of a clock that was not set. */
export function checkOpenings(
  openings: readonly Pick<Hold, 'id' | 'opened_at' | 'opened_on'>[],
  now: number = systemClock.now(),
): Finding[] {
  const { boot } = processLiveness()
  const reading = { now, steady: systemClock.steady(), boot }
  const [jumped] = openings.flatMap(({ id, ...opening }) => {
    const jump = clockJump(opening, reading)
    return jump === 0 ? [] : [{ id, jump }]
  })
  if (jumped === undefined) return []
  const way = jumped.jump > 0 ? 'forward' : 'back'
  return [
    warn(
      'clock set',
      `the clock by which deadlines are judged was set ${way} by ${durationText(Math.round(Math.abs(jumped.jump) / 1_000) * 1_000)} since ${jumped.id} was opened`,
      'Holds are not approved by time until a worker has watched the clock for a minute. All other deadlines count as they are.',
    ),
  ]
}
