import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { patienceMs } from '../patience.ts'

/** Waits until something holds that another process brings about. @throws after the deadline. */
export async function until(holds: () => boolean | Promise<boolean>, deadlineMs: number = patienceMs()): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${holds}`)
    await delay(10)
  }
}

/** False for a process that has ended, also where nobody has collected it yet. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '')
  } catch {
    return exists(pid)
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The death of one process may end another one before it is killed itself. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}
