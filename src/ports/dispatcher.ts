import type { Requester } from '../core/task/task-move.ts'

/**
 * Called for each run that became ready by a decision, after that is durable. It wakes the process that is to go on. A
 * failure here harms neither the decision nor the run.
 */
export type Dispatcher = (runId: string, asker: Requester) => Promise<void>
