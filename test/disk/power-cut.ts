import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DiskShim } from './shim.ts'

/** Of a store's file, those that have a state to lose. SQLite makes `-shm` anew when nobody has the store open. */
const ENDINGS = ['', '-wal', '-journal']

/** As `struct record` in shim.c. */
interface Step {
  readonly isSync: boolean
  readonly inode: bigint
  readonly offset: number
  /** Of the file, before. */
  readonly size: number
  /** What was there before. */
  readonly bytes: Buffer
}

/** Where processes die (see crash-at-commit.mjs), and the file of their store. */
export interface Crash {
  readonly at: string
  readonly store: string
}

/**
 * Runs processes with the environment that it gives, until they are dead. Right before a write, all has happened that
 * follows from the write before it. So the power goes too there: what was not synced is lost. Without a shim nothing is.
 */
export async function withCrash<T>(
  shim: DiskShim,
  { at, store }: Crash,
  run: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (shim.missing !== null || !at.startsWith('before')) return run({ CRASH_AT: at })
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-power-'))
  try {
    const log = join(directory, 'unsynced')
    const result = await run({ CRASH_AT: at, ...shim.env({ files: store, unsynced: log }) })
    cutPower({ log, store })
    return result
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/**
 * Makes of `store` what a power cut leaves of it, at `copy` or in its own place: all that `log` knows of, up to the last
 * sync of each file, and nothing after it. Processes that write to it have ended, or rest.
 */
export function cutPower({ log, store, copy = store }: { log: string; store: string; copy?: string }): void {
  const steps = existsSync(log) ? stepsIn(log) : []
  for (const ending of ENDINGS) {
    if (!existsSync(store + ending)) continue
    const { ino } = statSync(store + ending, { bigint: true })
    const own = steps.filter(({ inode }) => inode === ino)
    if (copy !== store) copyFileSync(store + ending, copy + ending)
    undo(copy + ending, own.slice(own.findLastIndex(({ isSync }) => isSync) + 1))
  }
  rmSync(`${copy}-shm`, { force: true })
}

function undo(path: string, steps: readonly Step[]): void {
  if (steps.length === 0) return
  const file = openSync(path, 'r+')
  try {
    for (const { bytes, offset, size } of steps.toReversed()) {
      if (bytes.length > 0) writeSync(file, bytes, 0, bytes.length, offset)
      ftruncateSync(file, size)
    }
  } finally {
    closeSync(file)
  }
}

const SYNCED = 2
const HEAD = 32

function stepsIn(log: string): Step[] {
  const bytes = readFileSync(log)
  const steps: Step[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    steps.push({
      isSync: bytes.readUInt32LE(at) === SYNCED,
      inode: bytes.readBigUInt64LE(at + 8),
      offset: Number(bytes.readBigUInt64LE(at + 16)),
      size: Number(bytes.readBigUInt64LE(at + 24)),
      bytes: bytes.subarray(at + HEAD, at + HEAD + length),
    })
    at += HEAD + length
  }
  return steps
}
