import { type EachChangeOptions, eachChange } from '../../async/each-change.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { type AgentTasksDeps, isHere, isReady, isWorkedOn, restsNow, runOf, type TaskWithRun } from './agent-task.ts'
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
  readonly onProgress: (tasks: readonly TaskWithRun[]) => void
}

export interface Waited {
  readonly tasks: readonly TaskWithRun[]
  /** The wait was over before what it was for. */
  readonly timed_out: boolean
}

/**
 * Waits until one of the tasks, or each, is over or needs a person; also ends in time, or when its signal is aborted.
 */
export async function waitForTasks(
  deps: AgentTasksDeps,
  load: () => Promise<readonly Task[]>,
  request: WaitRequest,
): Promise<Waited> {
  const { signal, asker, onProgress, seconds } = request
  const deadline = seconds === null ? Number.POSITIVE_INFINITY : deps.clock.steady() + seconds * 1000
  const ready = new ReadyTasks(deps, asker)
  let waited: Waited = { tasks: [], timed_out: true }
  for await (const _ of eachChange({ clock: deps.clock, watches: watchesOf(deps), signal, deadline })) {
    const tasks = await Promise.all((await load()).map(task => settleTask(deps, task)))
    waited = { tasks, timed_out: !isOver(tasks, request.until) }
    if (!waited.timed_out || signal.aborted || deps.clock.steady() >= deadline) break
    await ready.goOn(tasks)
    onProgress(tasks)
  }
  return waited
}

/** Watches the tasks, and the store for their runs. */
export function watchesOf({ tasks, store }: AgentTasksDeps): EachChangeOptions['watches'] {
  return [onChange => tasks.watch(onChange), onChange => store.watch(onChange)]
}

function isOver(tasks: readonly TaskWithRun[], until: WaitRequest['until']): boolean {
  // Pruned tasks are not waited for.
  return until === 'all' || tasks.length === 0 ? tasks.every(restsNow) : tasks.some(restsNow)
}

/** Resumes tasks whose holds were decided elsewhere, unless the decider's process does. */
class ReadyTasks {
  readonly #deps: AgentTasksDeps
  readonly #asker: Requester
  /** Why this process cannot go on with them, and since when. */
  #refused: ReadonlyMap<string, { readonly refusal: RefusedError; readonly since: number }> = new Map()

  constructor(deps: AgentTasksDeps, asker: Requester) {
    this.#deps = deps
    this.#asker = asker
  }

  /** @throws RefusedError if this process can resume none of the remaining tasks, and no other process did. */
  async goOn(tasks: readonly TaskWithRun[]): Promise<void> {
    const now = this.#deps.clock.steady()
    const refused = new Map<string, { refusal: RefusedError; since: number }>()
    const ready = tasks.filter(each => isReady(each) && !isWorkedOn(this.#deps, each))
    // The decider handed over those of other hosts, and their hosts look too.
    const left = ready.filter(({ task }) => isHere(this.#deps, task))
    for (const { task } of left) {
      const refusal = await this.#tryToGoOn(task)
      if (refusal) refused.set(task.id, { refusal, since: this.#refused.get(task.id)?.since ?? now })
    }
    this.#refused = refused
    const [stuck, ...others] = [...refused.values()].filter(({ since }) => now - since >= PATIENCE_MS)
    const unfinished = tasks.filter(each => !restsNow(each)).length
    if (stuck && others.length + 1 === unfinished) throw stuck.refusal
  }

  async #tryToGoOn(task: Task): Promise<RefusedError | null> {
    try {
      await goOn(this.#deps, runOf(task) ?? '', this.#asker)
      return null
    } catch (thrown) {
      if (thrown instanceof RefusedError) return thrown
      throw thrown
    }
  }
}
