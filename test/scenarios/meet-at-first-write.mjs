/**
 * Preloaded into the command line (`node --import`): before its first write to the store, a process says that it is
 * there by a file in the directory MEETING, and waits until `go` lies there. So that several have read the same state
 * before any of them writes.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'

const meeting = process.env.MEETING
const run = StatementSync.prototype.run
const DEADLINE_MS = 60_000
let met = false

StatementSync.prototype.run = function (...parameters) {
  if (!met && this.sourceSQL === 'BEGIN IMMEDIATE') meet()
  return run.apply(this, parameters)
}

function meet() {
  met = true
  writeFileSync(join(meeting, String(process.pid)), '')
  const end = Date.now() + DEADLINE_MS
  while (!existsSync(join(meeting, 'go')) && Date.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}
