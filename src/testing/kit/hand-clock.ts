import type { Clock } from '../../ports/clock.ts'

/** Time that stands still until a test turns it. */
export interface HandClock extends Clock {
  /** Lets `ms` milliseconds pass: every sleep that is due by then ends, the earliest first. */
  advance(ms: number): void
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
  const sleepers = new Set<Sleeper>()
  return {
    now: () => now,
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
        const sleeper: Sleeper = { due: now + ms, wake }
        sleepers.add(sleeper)
        signal.addEventListener('abort', aborted, { once: true })
      }),
    advance: ms => {
      now += ms
      const due = [...sleepers].filter(sleeper => sleeper.due <= now)
      for (const { wake } of due.toSorted((a, b) => a.due - b.due)) wake()
    },
    get sleeping() {
      return sleepers.size
    },
  }
}
