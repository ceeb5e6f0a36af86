import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../../async/monotonic.ts'
import type { Family, ProcessFamilies } from '../../ports/process/process-families.ts'

const POLL_MS = 25

/**
 * The processes that a command started: those of its session, and all their descendants. A process group alone is not
 * enough, because `timeout`, `setsid` and a shell with job control put their children in groups of their own. With a
 * `mark`, also daemons that cut every tie but still have it in their environment. Calls are synchronous if they must
 * work in a process that is about to exit.
 */
export const processFamilies: ProcessFamilies = { signal: signalFamily, isGone: familyIsGone }

export function signalFamily(family: Family, signal: NodeJS.Signals): void {
  for (const group of groupsOf(family)) {
    try {
      process.kill(-group, signal)
    } catch {
      // It ended in the meantime.
    }
  }
}

/** True as soon as nothing of the family runs, false when `withinMs` passed first. */
export async function familyIsGone(family: Family, withinMs: number): Promise<boolean> {
  const until = monotonicMs() + withinMs
  while (groupsOf(family).size > 0) {
    if (monotonicMs() >= until) return false
    await delay(POLL_MS)
  }
  return true
}

const families = new Set<Family>()

/** Until the returned function is called, the family does not outlive this process, unless it is killed outright. */
export function killOnExit(family: Family): () => void {
  if (families.size === 0) process.on('exit', killFamilies)
  families.add(family)
  return () => {
    families.delete(family)
    if (families.size === 0) process.off('exit', killFamilies)
  }
}

function killFamilies(): void {
  for (const family of families) signalFamily(family, 'SIGKILL')
}

interface Listed {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since boot. */
  readonly started: string
}

/** The process groups in which something of the family is alive. */
function groupsOf(family: Family): Set<number> {
  const listed = listProcesses()
  if (listed === null) return groupAlone(family.leader)
  const leader = hasOtherId(family, listed) ? null : family.leader
  const isLed = ({ session, group }: Listed) => leader !== null && (session === leader || group === leader)
  const seeds = listed.filter(process => isLed(process) || isMarked(process, family.mark))
  const members = withDescendants(seeds, listed)
  // To the system, groups 0 and 1 would mean this process's own group, and everything there is.
  return new Set([...members].map(({ group }) => group).filter(group => group > 1))
}

/** The leader's id names another process by now. */
function hasOtherId({ leader, started = null }: Family, listed: readonly Listed[]): boolean {
  const there = listed.find(({ pid }) => pid === leader)
  return there !== undefined && started !== null && there.started !== started
}

function withDescendants(seeds: readonly Listed[], all: readonly Listed[]): Set<Listed> {
  const found = new Set(seeds)
  const pids = new Set(seeds.map(({ pid }) => pid))
  let before: number
  do {
    before = found.size
    for (const listed of all) {
      if (!pids.has(listed.parent)) continue
      found.add(listed)
      pids.add(listed.pid)
    }
  } while (found.size > before)
  return found
}

function isMarked({ pid }: Listed, mark: string | null): boolean {
  if (mark === null) return false
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
  } catch {
    // The process belongs to another user, or is gone.
    return false
  }
}

/** If the system has no /proc, only the command's own process group is known. */
function groupAlone(leader: number | null): Set<number> {
  if (leader === null) return new Set()
  try {
    process.kill(-leader, 0)
    return new Set([leader])
  } catch {
    return new Set()
  }
}

function listProcesses(): Listed[] | null {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(readProcess)
      .filter(process => process !== null)
  } catch {
    return null
  }
}

/** `null` for a process that has ended, reaped or not. */
function readProcess(pid: string): Listed | null {
  try {
    // Node reads UTF-8 in a third of the time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything, also spaces and parentheses.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return null
    const [parent, group, session] = fields.map(Number)
    return {
      pid: Number(pid),
      parent: parent ?? 0,
      group: group ?? 0,
      session: session ?? 0,
      started: fields[18] ?? '',
    }
  } catch {
    return null
  }
}
