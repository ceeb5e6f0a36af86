import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import { type Paint, paintFor } from './colours.ts'

/** A terminal as a list needs it. */
export interface Screen {
  /** Milliseconds since 1970. */
  readonly now: number
  /** In columns. */
  readonly width: number
  readonly paint: Paint
}

/** `null` if stdout is no terminal: then nothing is cut, and times are as they are. */
export function screenFor(host: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}): Screen | null {
  return host.io.isTerminal ? { now: systemClock.now(), width: host.io.width(), paint: paintFor(host) } : null
}
