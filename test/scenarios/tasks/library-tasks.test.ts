import { expect, test } from 'vitest'
import type { Tasks } from '../../../src/index.ts'
import { aWorkplace } from '../workplace.ts'

const ASKER = { by: 'ana', surface: 'code' }

test('a program looks at the tasks of its store, and a refusal tells it nothing that only a shell can do', async () => {
  await using place = await aWorkplace(() => ({ script: ['Done.'], tools: [] }))
  await using holdpoint = await place.open()
  const tasks: Tasks = holdpoint.tasks
  expect(await tasks.list()).toEqual({ tasks: [], next: null })
  const refusal = await tasks.cancel('task_0', ASKER).catch((thrown: unknown) => thrown)
  expect(JSON.parse(JSON.stringify(refusal))).toMatchObject({
    code: 'unknown_task',
    hint: 'List the tasks to find it.',
    details: { task_id: 'task_0' },
  })
})
