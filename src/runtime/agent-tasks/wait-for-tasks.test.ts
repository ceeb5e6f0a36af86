import { expect, test } from 'vitest'
import { systemClock } from '../../hosts/process/system-clock.ts'
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import type { AgentTasksDeps } from './agent-task.ts'
import { waitForTasks } from './wait-for-tasks.ts'

test.each(['any', 'all'] as const)(
  'who waits for %s of tasks that were pruned meanwhile waits no longer',
  async until => {
    await using store = await openSqliteStore(':memory:', systemClock)
    const deps = { store, tasks: store.tasks, clock: systemClock } as unknown as AgentTasksDeps
    const request = { until, seconds: 0.05, signal: new AbortController().signal, onProgress: () => {} }
    const asker = { by: 'ana', surface: 'test' }
    expect(await waitForTasks(deps, async () => [], { ...request, asker })).toEqual({ tasks: [], timed_out: false })
  },
)
