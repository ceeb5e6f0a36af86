/**
 * Preloaded by NODE_OPTIONS, and so by all that a process starts: crash-at-commit.mjs works in those processes alone whose
 * program or arguments name one of the words of CRASH_IN; those named by LATE_IN start a little later.
 */
import { basename } from 'node:path'

const LATE_MS = 400
const words = new Set([basename(process.argv[1] ?? ''), ...process.argv.slice(2)])
const isOneOf = (names = '') => names.split(' ').some(name => words.has(name))

if (isOneOf(process.env.LATE_IN)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS)
if (isOneOf(process.env.CRASH_IN)) await import('./crash-at-commit.mjs')
