import { hash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Liveness } from '../ports/liveness.ts'

const HERE = here()

/**
 * Owners are `place:pid:start:n`. A process id alone may since have been given to another process, so its start time
 * counts too. Owners in other places are never taken for gone: their leases run out.
 */
export function processLiveness(): Liveness {
  const self = processAt(process.pid)
  return {
    self: `${HERE}:${process.pid}:${self === 'gone' ? 'unknown' : self}:${faces++}`,
    isGone: owner => {
      const [place, pid, started] = owner.split(':')
      if (place !== HERE || pid === undefined || !/^\d+$/.test(pid)) return false
      const there = processAt(Number(pid))
      return there === 'gone' || (there !== 'unknown' && started !== 'unknown' && there !== started)
    },
  }
}

/** Process ids mean something only within one boot of one machine, and there within one container. */
function here(): string {
  try {
    const place = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1') + readlinkSync('/proc/self/ns/pid')
    return `${hostname()}/${hash('sha256', place, 'hex').slice(0, 8)}`
  } catch {
    return hostname()
  }
}

/** Two open faces in one process must not take each other's lease for their own. */
let faces = 0

/** When the process with this id began, in clock ticks since boot; a zombie writes nothing any more, so it is gone. */
function processAt(pid: number): string {
  try {
    // The name, in brackets, may hold anything; state is the first field behind it, the start time the twentieth.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? 'gone' : (fields[18] ?? 'unknown')
  } catch {
    return exists(pid) ? 'unknown' : 'gone'
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}
