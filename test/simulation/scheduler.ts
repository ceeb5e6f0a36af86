/**
 * Everything in a simulated life that could happen in another order waits here until it is its turn. Keeps: between two
 * turns all code has run as far as it can; what a dead process waits for never comes; time stands still until it passes.
 */
import { setImmediate } from 'node:timers/promises'

/** A process: what it does happens through points of its own. */
export interface Life {
  readonly name: string
  state: 'alive' | 'stalled' | 'dead'
  /** How many milliseconds its clock is ahead. */
  skew: number
}

/** One thing that may happen next. */
export interface Waiting {
  readonly life: Life
  /** What it is; before a call of the store it ends with `:before`, after it with `:after`. */
  readonly place: string
  /** Milliseconds since 1970; 0 for at once. */
  readonly due: number
  readonly go: () => void
  readonly fail: (reason: unknown) => void
}

export class Scheduler {
  now: number = Date.parse('2030-01-01T00:00:00.000Z')
  readonly #waiting = new Set<Waiting>()

  /** Resolves at its turn; never where the process is dead by then. Rejects with the signal's reason. */
  point(life: Life, place: string, signal?: AbortSignal): Promise<void> {
    return this.#wait({ life, place, due: 0 }, signal)
  }

  /** As a point, after so many milliseconds. */
  sleep(life: Life, ms: number, signal?: AbortSignal): Promise<void> {
    return this.#wait({ life, place: 'sleep', due: this.now + ms }, signal)
  }

  /** Calls back every so many milliseconds. */
  every(life: Life, ms: number, callBack: () => void): Disposable {
    let current: Waiting
    const again = () => {
      const go = () => {
        again()
        callBack()
      }
      current = { life, place: 'interval', due: this.now + ms, go, fail: () => {} }
      this.#waiting.add(current)
    }
    again()
    return { [Symbol.dispose]: () => void this.#waiting.delete(current) }
  }

  /** What may happen now, oldest first. */
  ready(): Waiting[] {
    return [...this.#waiting].filter(({ life, due }) => life.state === 'alive' && due <= this.now)
  }

  /** When the next thing happens that needs time alone. */
  nextDue(): number | null {
    const dues = [...this.#waiting].flatMap(({ life, due }) => (life.state === 'alive' && due > this.now ? [due] : []))
    return dues.length === 0 ? null : Math.min(...dues)
  }

  /** Whether something of it waits at such a place. */
  waitsIn(life: Life, place: RegExp): boolean {
    return [...this.#waiting].some(waiting => waiting.life === life && place.test(waiting.place))
  }

  take(waiting: Waiting): void {
    this.#waiting.delete(waiting)
    waiting.go()
  }

  fail(waiting: Waiting, reason: unknown): void {
    this.#waiting.delete(waiting)
    waiting.fail(reason)
  }

  /** Nothing that it waits for comes any more. */
  kill(life: Life): void {
    life.state = 'dead'
    for (const waiting of this.#waiting) if (waiting.life === life) this.#waiting.delete(waiting)
  }

  /** All code runs until it waits for a turn: nothing in a simulated life waits for anything else. */
  async settled(): Promise<void> {
    await setImmediate()
  }

  #wait(what: Pick<Waiting, 'life' | 'place' | 'due'>, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (what.life.state === 'dead') return promise
    if (signal?.aborted) return Promise.reject(signal.reason)
    const over = () => {
      this.#waiting.delete(waiting)
      signal?.removeEventListener('abort', aborted)
    }
    const aborted = () => {
      over()
      // A dead process does not even hear that it is to stop.
      if (what.life.state !== 'dead') reject(signal?.reason)
    }
    const go = () => {
      over()
      resolve()
    }
    const fail = (reason: unknown) => {
      over()
      reject(reason)
    }
    const waiting: Waiting = { ...what, go, fail }
    this.#waiting.add(waiting)
    signal?.addEventListener('abort', aborted, { once: true })
    return promise
  }
}
