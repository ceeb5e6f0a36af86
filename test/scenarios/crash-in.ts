import { resolve } from 'node:path'

const PRELOAD = resolve(import.meta.dirname, 'crash-in.mjs')

/**
 * The environment for a process, and for all that it starts, in which those die at a durable write (`how`, see
 * crash-at-commit.mjs) that name one of `words`. Supervisors start late, so that whoever starts one is the quicker of the
 * two to note its name.
 */
export function crashingIn(words: string, how: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, CRASH_IN: words, LATE_IN: 'supervise.js', ...how }
}
