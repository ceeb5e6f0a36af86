import type { Requester } from '../core/task/task-move.ts'

/**
 * Told of each run that became ready because somebody decided, once that is durable. Whoever is to go on with it is woken;
 * what fails here harms neither the decision nor the run.
 */
export type Dispatcher = (runId: string, asker: Requester) => Promise<void>
