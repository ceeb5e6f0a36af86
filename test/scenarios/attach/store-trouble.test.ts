import { expect, test } from 'vitest'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { anAgent, hurried, tamper } from './agent-stage.ts'

const NO_ROWS = "CREATE TRIGGER full BEFORE INSERT ON presences BEGIN SELECT RAISE(FAIL, 'the disk is full'); END"

test('an agent whose process cannot sign in works on, and is attached to once the store is well', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Heard.'], prepare: app => tamper(app, NO_ROWS) })
  const { app, run_id, warnings } = stage
  await expect.poll(async () => (await app.store.run(run_id))?.status).toBe('waiting')
  expect(warnings).toMatchObject([expect.stringContaining('the disk is full')])
  expect(await app.store.presences.find('task_1')).toBeNull()
  tamper(app, 'DROP TRIGGER full')
  const ana = await stage.attach()
  await ana.status('idle')
  expect(await app.store.presences.find('task_1')).toMatchObject({ queued: 0, last_error: null })
  expect(await ana.say('i1', 'go on')).toMatchObject({ outcome: 'recorded' })
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('Heard.'))
})

test('a process whose task has a later one brings its turn to an end, and leaves the agent to that one', async () => {
  const stage = await anAgent({
    turns: ['Ready.'],
    prepare: async ({ store }) => {
      const next = { argv: ['true'], by: 'ana', surface: 'cli' }
      await store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], to: 'failed' })
      await store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['failed'], to: 'pending', next })
      const later = { task_id: 'task_1', invocation: 2, process: processLiveness().self, endpoint: '/later' }
      await store.presences.arrive({ ...later, protocol: 1, token: 'of the later one' })
    },
  })
  expect(await stage.result).toMatchObject({ status: 'waiting' })
  expect(stage.warnings).toMatchObject([expect.stringContaining('A later process')])
  expect(await stage.app.store.presences.find('task_1')).toMatchObject({ invocation: 2, endpoint: '/later' })
})

test('a store that fails for a while ends no agent that waits', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'Heard.'], clock: hurried(300) })
  const { app, run_id, thread_id, warnings } = stage
  await expect.poll(async () => (await app.store.run(run_id))?.status).toBe('waiting')
  tamper(app, 'ALTER TABLE holds RENAME TO lost')
  await expect.poll(() => warnings).toMatchObject([expect.stringContaining('holds')])
  tamper(app, 'ALTER TABLE lost RENAME TO holds')
  await app.holdpoint.send(thread_id, { text: 'go on', author: 'ana' })
  await expect.poll(async () => JSON.stringify(await app.holdpoint.journal(thread_id))).toContain('Heard.')
  expect(await app.store.presences.find('task_1')).not.toBeNull()
})
