import { readFileSync } from 'node:fs'

export interface ProcessStat {
  readonly parent: number
  readonly session: number
  /** In clock ticks since boot. */
  readonly started: string
  /** A zombie writes nothing any more. */
  readonly isOver: boolean
}

/** `null` if there is no such process, or no `/proc`. */
export function processStat(pid: number): ProcessStat | null {
  try {
    // The name, in brackets, may contain anything; state is the first field after it, the start time the twentieth.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // A mount may show another process there.
    if (Number.parseInt(stat, 10) !== pid) return null
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      parent: Number(fields[0]),
      session: Number(fields[2]),
      started: fields[18] ?? '',
      isOver: state === 'Z' || state === 'X',
    }
  } catch {
    return null
  }
}
