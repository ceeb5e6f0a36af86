import { TASK_RESTS, type Task } from '../core/task/task.ts'
import type { Clock } from '../ports/clock.ts'
import { Bell } from './bell.ts'

/** Nobody tells of a supervisor that is killed, and perhaps not of every change. */
const SAFETY_MS = 1_000
/** However much changes, there is at most one look in this time. */
const BREATH_MS = 10
const NEVER = new AbortController().signal

export interface Waiting {
  readonly clock: Clock
  readonly watch: (onChange: () => void) => Disposable
  /** All that is waited for, as it is now. */
  readonly look: () => Promise<readonly Task[]>
  readonly isOver: (tasks: readonly Task[]) => boolean
  readonly signal?: AbortSignal | undefined
}

/** Looks whenever something may have changed; resolves to what it saw when that is enough, or the signal is aborted. */
export async function waitForTasks({ clock, watch, look, isOver, signal = NEVER }: Waiting): Promise<readonly Task[]> {
  const bell = new Bell(clock)
  using _watch = watch(() => bell.ring())
  for (;;) {
    // What changes from here on may not be in what is read.
    bell.reset()
    const tasks = await look()
    if (isOver(tasks) || signal.aborted) return tasks
    await clock.sleep(BREATH_MS, signal).catch(() => {})
    await bell.wait(SAFETY_MS, signal)
  }
}

export const RESTING: Record<'any' | 'all', (tasks: readonly Task[]) => boolean> = {
  any: tasks => tasks.length === 0 || tasks.some(({ status }) => TASK_RESTS[status]),
  all: tasks => tasks.every(({ status }) => TASK_RESTS[status]),
}
