import type { Task } from '../../core/task.ts'
import type { Asker } from '../../ports/task-registry.ts'
import { Alarm } from '../alarm.ts'
import { type AgentTasksSite, isReady, isWorkedOn, restsNow, runOf, type Standing } from './agent-task.ts'
import { goOn } from './resume-task.ts'
import { settleTask } from './settle-task.ts'

/** To be safe: nobody tells of a lease that has run out. */
const SAFETY_MS = 2000

export interface WaitRequest {
  readonly until: 'any' | 'all'
  /** `null`: for as long as it takes. */
  readonly seconds: number | null
  readonly signal: AbortSignal
  readonly asker: Asker
  readonly onProgress: (standings: readonly Standing[]) => void
}

export interface Waited {
  readonly standings: readonly Standing[]
  /** The wait was over before what it was for. */
  readonly timed_out: boolean
}

/** Until one of the tasks, or each, is over or waits for somebody; also ends in time, or when its signal is aborted. */
export async function waitForTasks(
  site: AgentTasksSite,
  load: () => Promise<readonly Task[]>,
  request: WaitRequest,
): Promise<Waited> {
  const { signal, asker, onProgress, seconds } = request
  const deadline = seconds === null ? Number.POSITIVE_INFINITY : site.clock.now() + seconds * 1000
  const alarm = new Alarm(site.clock)
  const ring = () => alarm.ring()
  // Tasks and runs change in one store, whoever changes them.
  using _tasks = site.tasks.watch(ring)
  using _runs = site.store.watch(ring)
  signal.addEventListener('abort', ring)
  try {
    for (;;) {
      alarm.reset()
      const standings = await Promise.all((await load()).map(task => settleTask(site, task)))
      const timed_out = !isOver(standings, request.until)
      if (!timed_out || signal.aborted || site.clock.now() >= deadline) return { standings, timed_out }
      await goOnWithReady(site, standings, asker)
      onProgress(standings)
      await alarm.sleepUntil(Math.min(site.clock.now() + SAFETY_MS, deadline))
    }
  } finally {
    signal.removeEventListener('abort', ring)
  }
}

function isOver(standings: readonly Standing[], until: WaitRequest['until']): boolean {
  // Those that are gone, since they were pruned, are waited for in vain.
  return until === 'all' || standings.length === 0 ? standings.every(restsNow) : standings.some(restsNow)
}

/** Everything was decided elsewhere, and whoever decided has not gone on with it. */
async function goOnWithReady(site: AgentTasksSite, standings: readonly Standing[], asker: Asker): Promise<void> {
  const left = standings.filter(standing => isReady(standing) && !isWorkedOn(standing, site.clock.now()))
  for (const { task } of left) await goOn(site, runOf(task) ?? '', asker)
}
