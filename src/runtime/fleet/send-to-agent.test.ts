import { expect, test } from 'vitest'
import { RefusedError } from '../../core/errors.ts'
import type { Task } from '../../core/task/task.ts'
import type { Store } from '../../ports/store/store.ts'
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { aRun, aTask } from '../../testing/contracts/tasks/sample-task.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { SendOptions } from '../threads/send-message.ts'
import { lookAtAgent } from './look-at-agent.ts'
import { sendToAgent } from './send-to-agent.ts'

const MESSAGE = { text: 'wait', author: 'ana', surface: 'cli' }

/** The agent is under way when it is looked at; `holdpoint.send` stands for what becomes of the run until the write. */
async function scene(send: (sent: readonly SendOptions[]) => Promise<unknown>) {
  const clock = handClock(0)
  const store: Store = await openSqliteStore(':memory:', clock)
  const sent: SendOptions[] = []
  await store.start({ ...aRun('run_1', 'running') })
  const task: Task = await store.tasks.create(aTask({ kind: 'agent', subject: 'run_1' }))
  const deps = {
    ...{ store, clock, liveness: { isGone: () => false }, tasks: { task: async (id: string) => store.tasks.task(id) } },
    holdpoint: {
      send: async (_: string, __: unknown, options: SendOptions) => {
        sent.push(options)
        return send(sent)
      },
    },
  } as unknown as AgentTasksDeps
  return { deps, sent, seen: await lookAtAgent(deps, task) }
}

function moved(): RefusedError {
  return new RefusedError('superseded', 'Run run_1 moved on while the message was sent, so it was not taken.')
}

test('P4: a message is for the run that was seen, and is sent by how the agent stands after it moved on', async () => {
  const queued = { outcome: 'queued', run_id: 'run_1' }
  const { deps, seen, sent } = await scene(async ({ length }) => {
    if (length < 3) throw moved()
    return queued
  })
  expect(await sendToAgent(deps, seen, MESSAGE)).toEqual(queued)
  expect(sent).toEqual(Array(3).fill({ whileWaiting: 'queue', onlyTo: 'run_1' }))
})

test('one that never holds still is refused in the end', async () => {
  const { deps, seen, sent } = await scene(() => Promise.reject(moved()))
  await expect(sendToAgent(deps, seen, MESSAGE)).rejects.toMatchObject({ code: 'superseded' })
  expect(sent).toHaveLength(5)
})
