import { afterAll, describe, expect, test } from 'vitest'
import { aProject, effect } from '../../scenarios/project.ts'
import { openTestDatabase } from '../database.ts'
import { openTransactionPooler } from './transaction-pooler.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`poolers before PostgreSQL (${database.missing})`, () => {})
else describe('poolers before PostgreSQL', () => pooled(database.url))

function pooled(url: string): void {
  test('behind a pooler in transaction mode a run pauses, is approved and goes on, with one effect', async () => {
    await using pooler = await openTransactionPooler(url)
    const script = [{ calls: [effect('t1', 'one')] }, 'Done.']
    await using project = await aProject({ script, env: { HOLDPOINT_STORE: `${pooler.url}?schema=shared` } })
    const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(paused, paused.stdout).toMatchObject({ exit: 10 })
    const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 't1', '-o', 'json')
    expect(done, done.stdout).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect(await project.effects()).toEqual(['one'])
    expect(await project.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })
}
