/** Stops a command that takes more than its limits; the kernel alone does not count all of it. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../../async/monotonic.ts'
import type { BoxLimits } from './machine/box-settings.ts'

const LOOK_MS = 50
/** Looking at files takes at most so much of the time. */
const SHARE_OF_TIME = 10

export class LimitWatch {
  readonly #limits: BoxLimits
  readonly #written: readonly string[]
  #reached: string | null = null
  #isOver = false
  #nextFiles = 0
  #watching: Promise<void> = Promise.resolve()

  /** `written` are the directories in which all is that a command writes. */
  constructor(limits: BoxLimits, written: readonly string[]) {
    this.#limits = limits
    this.#written = written
  }

  /** `pid` leads the group of the box. */
  begin(pid: number): void {
    this.#watching = this.#watch(pid)
  }

  /** Looks a last time. The limit that was reached, in words; `null` if none was. */
  async end(): Promise<string | null> {
    this.#isOver = true
    await this.#watching
    return this.#reached ?? tooMuchIn(this.#written, this.#limits)
  }

  async #watch(pid: number): Promise<void> {
    while (!this.#isOver && this.#reached === null) {
      this.#reached = this.#tooManyIn(pid) ?? (await this.#tooMuch())
      if (this.#reached === null) await delay(LOOK_MS, undefined, { ref: false })
    }
    if (this.#reached !== null) killGroup(pid)
  }

  #tooManyIn(pid: number): string | null {
    const { processes } = this.#limits
    return processesIn(pid) > processes ? `it ran more than ${processes} processes at once` : null
  }

  async #tooMuch(): Promise<string | null> {
    const since = monotonicMs()
    if (since < this.#nextFiles) return null
    const reached = await tooMuchIn(this.#written, this.#limits)
    this.#nextFiles = monotonicMs() + (monotonicMs() - since) * SHARE_OF_TIME
    return reached
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended in the meantime.
  }
}

/** Each box has a table of processes of its own. */
function processesIn(pid: number): number {
  try {
    const table = `/proc/${lastChild(lastChild(pid))}/root/proc`
    if (isOurs(table)) return 0
    return readdirSync(table).filter(name => /^\d+$/.test(name)).length
  } catch {
    // It has not begun, is over, or belongs to a user whose processes the kernel counts.
    return 0
  }
}

/** A box that is being made still sees the processes of the machine. */
function isOurs(table: string): boolean {
  const own = `${process.pid}/cmdline`
  return (
    existsSync(`${table}/${own}`) && readFileSync(`${table}/${own}`, 'utf8') === readFileSync(`/proc/${own}`, 'utf8')
  )
}

/** Before it, a shell may watch for the end of this process. */
function lastChild(pid: number | string): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').at(-1) ?? ''
}

async function tooMuchIn(directories: readonly string[], limits: BoxLimits): Promise<string | null> {
  let [bytes, files] = [0, 0]
  for await (const size of sizesBelow(directories)) {
    bytes += size
    if (++files > limits.written_files) return `it wrote more than ${limits.written_files} files`
    if (bytes > limits.written_bytes) return `it wrote more than ${limits.written_bytes} bytes`
  }
  return null
}

async function* sizesBelow(directories: readonly string[]) {
  const queue = [...directories]
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for await (const entry of entriesOf(at)) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) queue.push(path)
      yield entry.isDirectory() ? 0 : sizeOf(path)
    }
}

/** A file with holes is as long as it says, once it is copied. */
function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
}

async function* entriesOf(directory: string) {
  try {
    yield* await opendir(directory)
  } catch {
    // It is gone by now, or closed to its owner.
  }
}
