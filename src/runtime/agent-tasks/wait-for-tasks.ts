import { type EachChangeOptions, eachChange } from '../../async/each-change.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { type AgentTasksDeps, isHere, isReady, isWorkedOn, restsNow, runOf, type Standing } from './agent-task.ts'
import { goOn } from './resume-task.ts'
import { settleTask } from './settle-task.ts'

/** How long others, such as a worker that has the key, may take to go on with what this process cannot. */
const PATIENCE_MS = 5000

export interface WaitRequest {
  readonly until: 'any' | 'all'
  /** `null`: for as long as it takes. */
  readonly seconds: number | null
  readonly signal: AbortSignal
  readonly asker: Requester
  readonly onProgress: (standings: readonly Standing[]) => void
}

export interface Waited {
  readonly standings: readonly Standing[]
  /** The wait was over before what it was for. */
  readonly timed_out: boolean
}

/**
 * Waits until one of the tasks, or each, is over or needs a person; also ends in time, or when its signal is aborted.
 */
export async function waitForTasks(
  site: AgentTasksDeps,
  load: () => Promise<readonly Task[]>,
  request: WaitRequest,
): Promise<Waited> {
  const { signal, asker, onProgress, seconds } = request
  const deadline = seconds === null ? Number.POSITIVE_INFINITY : site.clock.steady() + seconds * 1000
  const ready = new ReadyTasks(site, asker)
  let waited: Waited = { standings: [], timed_out: true }
  for await (const _ of eachChange({ clock: site.clock, watches: watchesOf(site), signal, deadline })) {
    const standings = await Promise.all((await load()).map(task => settleTask(site, task)))
    waited = { standings, timed_out: !isOver(standings, request.until) }
    if (!waited.timed_out || signal.aborted || site.clock.steady() >= deadline) break
    await ready.goOn(standings)
    onProgress(standings)
  }
  return waited
}

/** Of tasks and of their runs. */
export function watchesOf({ tasks, store }: AgentTasksDeps): EachChangeOptions['watches'] {
  return [onChange => tasks.watch(onChange), onChange => store.watch(onChange)]
}

function isOver(standings: readonly Standing[], until: WaitRequest['until']): boolean {
  // Those that are gone, since they were pruned, are waited for in vain.
  return until === 'all' || standings.length === 0 ? standings.every(restsNow) : standings.some(restsNow)
}

/** Goes on with tasks whose holds were decided elsewhere, if the decider's process has not. */
class ReadyTasks {
  readonly #site: AgentTasksDeps
  readonly #asker: Requester
  /** Why this process cannot go on with them, and since when. */
  #refused: ReadonlyMap<string, { readonly refusal: RefusedError; readonly since: number }> = new Map()

  constructor(site: AgentTasksDeps, asker: Requester) {
    this.#site = site
    this.#asker = asker
  }

  /** @throws RefusedError if this process cannot go on with any of the rest, and no other process has. */
  async goOn(standings: readonly Standing[]): Promise<void> {
    const now = this.#site.clock.steady()
    const refused = new Map<string, { refusal: RefusedError; since: number }>()
    const ready = standings.filter(standing => isReady(standing) && !isWorkedOn(this.#site, standing))
    // The decider handed over those of other hosts, and their hosts look too.
    const left = ready.filter(({ task }) => isHere(this.#site, task))
    for (const { task } of left) {
      const refusal = await this.#tryToGoOn(task)
      if (refusal) refused.set(task.id, { refusal, since: this.#refused.get(task.id)?.since ?? now })
    }
    this.#refused = refused
    const [stuck, ...others] = [...refused.values()].filter(({ since }) => now - since >= PATIENCE_MS)
    const unfinished = standings.filter(standing => !restsNow(standing)).length
    if (stuck && others.length + 1 === unfinished) throw stuck.refusal
  }

  async #tryToGoOn(task: Task): Promise<RefusedError | null> {
    try {
      await goOn(this.#site, runOf(task) ?? '', this.#asker)
      return null
    } catch (thrown) {
      if (thrown instanceof RefusedError) return thrown
      throw thrown
    }
  }
}
