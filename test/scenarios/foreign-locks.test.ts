import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { ToolContext } from '../../src/index.ts'
import { openDatabase } from '../open-database.ts'
import { patienceMs } from '../patience.ts'
import { aProject, command, runInOwnProcesses } from './project.ts'
import { aServer, openHold } from './server/server-process.ts'
import { advanced, aWorkplace, call, results, started } from './workplace.ts'

afterAll(runInOwnProcesses())

/** As long as another program may well write into the file: a backup, a browser of databases. */
const LONG_MS = 13_000

/** The lock of the store, as another program takes it. */
function locked(path: string): Disposable {
  const file = openDatabase(path)
  file.exec('BEGIN IMMEDIATE')
  return { [Symbol.dispose]: () => file.close() }
}

test.concurrent('P3: what two tools returned while another program had the lock is recorded when the lock is gone', async () => {
  const returning = Promise.withResolvers<void>()
  const execute = async (_args: unknown, { toolCallId }: ToolContext) => {
    place.effects.push(toolCallId)
    await returning.promise
    return `${toolCallId} is paid`
  }
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('tc_1', 'pay'), call('tc_2', 'pay')] }, 'Both are paid.'],
    tools: [place.tool('pay', { execute })],
  }))
  await using holdpoint = await place.open()
  const running = advanced(holdpoint, (await started(holdpoint)).id)
  await expect.poll(() => place.effects.length).toBe(2)
  {
    using _lock = locked(place.file)
    returning.resolve()
    await sleep(LONG_MS)
  }
  const done = await running
  expect(done).toMatchObject({ status: 'done', answer: 'Both are paid.' })
  expect(results(done)).toEqual([
    ['tc_1', 'tc_1 is paid'],
    ['tc_2', 'tc_2 is paid'],
  ])
  expect(place.effects).toEqual(['tc_1', 'tc_2'])
})

test.concurrent('a server answers others while a decision waits for the lock of another program', async () => {
  const script = [{ calls: [command('tc_1', 'echo applied >> effects.log')] }, 'Done.']
  await using project = await aProject({ script, policy: { default: 'prompt' } })
  await using server = await aServer(project)
  const { run_id } = (await server.send('/v1/threads', { body: { input: 'go' } })).json
  const hold = await openHold(server, run_id)
  const slowest = []
  let decided: Promise<{ readonly status: number }>
  {
    using _lock = locked(project.path('.holdpoint', 'holdpoint.db'))
    decided = server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
    for (let n = 0; n < 20; n += 1) {
      const begun = performance.now()
      expect((await server.send('/healthz')).status).toBe(200)
      expect((await server.send(`/v1/holds/${hold.id}?view=plain`)).json).toMatchObject({ status: 'open' })
      slowest.push(performance.now() - begun)
      await sleep(100)
    }
  }
  expect((await decided).status).toBe(200)
  // The machine may be busy with other tests; a wait for the lock would be as long as the lock.
  expect(slowest.toSorted((one, other) => one - other)[10]).toBeLessThan(1_000)
  await expect.poll(() => project.effects(), { timeout: patienceMs() }).toEqual(['applied'])
})
