/**
 * Preloaded into the command line (`node --import`): kills the process itself right before or right after the COMMIT
 * that CRASH_AT names, as in `before:3`. Nothing of the production code knows of it.
 */
import { StatementSync } from 'node:sqlite'

const [side, at] = (process.env.CRASH_AT ?? '').split(':')
const run = StatementSync.prototype.run
let commits = 0

StatementSync.prototype.run = function (...parameters) {
  if (this.sourceSQL !== 'COMMIT') return run.apply(this, parameters)
  commits += 1
  if (commits === Number(at) && side === 'before') process.kill(process.pid, 'SIGKILL')
  const result = run.apply(this, parameters)
  if (commits === Number(at) && side === 'after') process.kill(process.pid, 'SIGKILL')
  return result
}
