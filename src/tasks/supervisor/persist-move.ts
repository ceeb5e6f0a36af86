import { NEVER } from '../../async/on-abort.ts'
import { RefusedError } from '../../core/errors.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskMove } from '../../core/task/task-move.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TaskRegistry } from '../../ports/store/fleet/task-registry.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** A store that fails for longer than this may never be well again. */
const PATIENCE_MS = 10 * 60_000

/**
 * A full disk or a locked store only delays the move. A refusal is final: its content cannot be found out a second
 * time.
 */
export async function persistMove(
  { registry, clock }: { readonly registry: TaskRegistry; readonly clock: Pick<Clock, 'steady' | 'sleep'> },
  move: TaskMove,
  patienceMs: number = PATIENCE_MS,
): Promise<Task | null> {
  const until = clock.steady() + Math.min(patienceMs, PATIENCE_MS)
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await registry.move(move)
    } catch (thrown) {
      if (thrown instanceof RefusedError || isStoreGone(thrown) || clock.steady() > until) throw thrown
      await clock.sleep(pause, NEVER)
    }
  }
}
