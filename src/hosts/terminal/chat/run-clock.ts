import { FRAME_MS } from '../../display/run/spinner-lines.ts'
import { systemClock } from '../../process/system-clock.ts'

/** Ticks while a run is under way, and only then: a chat at rest costs nothing. */
export class RunClock implements Disposable {
  readonly #onTick: () => void
  #timer: NodeJS.Timeout | null = null
  /** Since when it is under way, in milliseconds since 1970; `null` if none is. */
  since: number | null = null

  constructor(onTick: () => void) {
    this.#onTick = onTick
  }

  /** True if a run begins now. */
  set(isUnderWay: boolean): boolean {
    if (isUnderWay === (this.since !== null)) return false
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = isUnderWay ? setInterval(this.#onTick, FRAME_MS) : null
    this.since = isUnderWay ? systemClock.now() : null
    return isUnderWay
  }

  [Symbol.dispose](): void {
    this.set(false)
  }
}
