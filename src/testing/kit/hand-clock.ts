import type { Clock } from '../../ports/clock.ts'

/** A clock that moves only when a test turns it. */
export interface HandClock extends Clock {
  /** Lets `ms` milliseconds pass: every sleep that is due by then ends, the earliest first. */
  advance(ms: number): void
  /** Sets the time of day forward or, below zero, back. No time passes: nobody wakes, and `steady` stays as it is. */
  step(ms: number): void
  /** How many sleep at the moment. */
  readonly sleeping: number
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

/** A clock that begins at `start`: an ISO time, or milliseconds since 1970. */
export function handClock(start: string | number = '2030-01-01T00:00:00.000Z'): HandClock {
  let now = typeof start === 'number' ? start : Date.parse(start)
  let steady = 0
  const sleepers = new Set<Sleeper>()
  return {
    now: () => now,
    steady: () => steady,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const done = (): void => {
          sleepers.delete(sleeper)
          signal.removeEventListener('abort', aborted)
        }
        const aborted = (): void => {
          done()
          reject(signal.reason)
        }
        const wake = (): void => {
          done()
          resolve()
        }
        const sleeper: Sleeper = { due: steady + ms, wake }
        sleepers.add(sleeper)
        signal.addEventListener('abort', aborted, { once: true })
      }),
    advance: ms => {
      now += ms
      steady += ms
      const due = [...sleepers].filter(sleeper => sleeper.due <= steady)
      for (const { wake } of due.toSorted((a, b) => a.due - b.due)) wake()
    },
    step: ms => {
      now += ms
    },
    get sleeping() {
      return sleepers.size
    },
  }
}
