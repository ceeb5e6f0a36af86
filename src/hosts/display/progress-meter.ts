import { endOnSignal } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { shortTime } from './ago.ts'
import { canRedraw, LiveLines } from './live-lines.ts'

/** Work that is over sooner needs no word. */
const PATIENCE_MS = 1000
const FRAME_MS = 100
/** Between two lines, if lines are all that can be shown. */
const LINE_MS = 5000
const BAR_COLUMNS = 24

export interface Progress {
  /** The work, as `Checking` or `Waiting for 2 tasks`. */
  readonly label: string
  /** The things that are counted; left out if only the time counts. */
  readonly unit?: string
}

export interface MeterDeps {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json: boolean
}

/** Progress of long work: a bar in a terminal, elsewhere a line on stderr now and then, nothing with JSON. */
export class ProgressMeter implements Disposable {
  readonly #io: Io
  readonly #progress: Progress
  readonly #isSilent: boolean
  readonly #lines: LiveLines | null
  /** A signal ends the process so that the terminal is as it was. */
  readonly #signals: Disposable | null
  readonly #began: number = systemClock.now()
  #shownAt: number = systemClock.now()

  constructor({ io, env, json }: MeterDeps, progress: Progress) {
    this.#io = io
    this.#progress = progress
    this.#isSilent = json
    this.#lines = !json && canRedraw({ io, env }) ? new LiveLines(io) : null
    this.#signals = this.#lines && endOnSignal()
  }

  /** `total` is `null` if it is unknown. Called often: most calls draw nothing. */
  tell(done: number, total: number | null = null): void {
    const now = systemClock.now()
    const pause = this.#lines ? FRAME_MS : LINE_MS
    if (this.#isSilent || now - this.#began < PATIENCE_MS || now - this.#shownAt < pause) return
    this.#shownAt = now
    const line = progressLine(this.#progress, { done, total, ms: now - this.#began, hasBar: this.#lines !== null })
    if (this.#lines) this.#lines.show([line])
    else this.#io.err(`${line}\n`)
  }

  /** Shows the elapsed time while there is no other news. */
  keepTelling(): Disposable {
    const timer = setInterval(() => this.tell(0), PATIENCE_MS / 2).unref()
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  [Symbol.dispose](): void {
    this.#lines?.[Symbol.dispose]()
    this.#signals?.[Symbol.dispose]()
  }
}

interface Reached {
  readonly done: number
  readonly total: number | null
  readonly ms: number
  readonly hasBar: boolean
}

/** `Checking  [########----------------]  33 %  1,200 records/s  4.0 s left` */
export function progressLine({ label, unit }: Progress, { done, total, ms, hasBar }: Reached): string {
  const rate = unit === undefined ? '' : `${Math.round((done / ms) * 1000).toLocaleString('en-US')} ${unit}/s`
  const reached =
    total === null
      ? [unit === undefined ? '' : `${done.toLocaleString('en-US')} ${unit}`, rate, shortTime(ms)]
      : partWords(Math.min(1, done / Math.max(1, total)), { rate, ms, hasBar })
  return [label, ...reached].filter(word => word !== '').join('  ')
}

function partWords(part: number, { rate, ms, hasBar }: Pick<Reached, 'ms' | 'hasBar'> & { rate: string }): string[] {
  const left = part === 0 ? '' : shortTime((ms * (1 - part)) / part)
  return [hasBar ? bar(part) : '', `${Math.floor(part * 100)} %`, rate, left === '' ? '' : `${left} left`]
}

function bar(part: number): string {
  const full = Math.round(part * BAR_COLUMNS)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_COLUMNS - full)}]`
}
