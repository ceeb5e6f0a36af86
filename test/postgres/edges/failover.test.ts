/** A database server dies, and its standby takes over at the same address. */
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { aProject, effect, ended } from '../../scenarios/project.ts'
import { openCuttingProxy } from '../cutting-proxy.ts'
import { openTestDatabase, type Standby } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`failover of PostgreSQL (${database.missing})`, () => {})
else if (database.standby === null) test.skip('failover of PostgreSQL (the server is not ours to end)', () => {})
else {
  const { url, standby } = database
  describe('failover of PostgreSQL', () => failingOver(url, standby))
}

const COUNT = 12

function failingOver(url: string, openStandby: () => Promise<Standby>): void {
  test('P3: a run goes on over a failover to a synchronous standby with each effect once, and what waits is decided there', async () => {
    await using standby = await openStandby()
    await using proxy = await openCuttingProxy(url)
    const env = { HOLDPOINT_STORE: `${proxy.url}?schema=failover` }
    const turn = (n: number) => ({ delay_ms: 150, calls: [effect(`t${n}`, `effect ${n}`)] })
    await using working = await aProject({
      script: [...Array.from({ length: COUNT }, (_, n) => turn(n)), 'Done.'],
      env,
    })
    await using waiting = await aProject({ script: [{ calls: [effect('tc_1', 'approved')] }, 'Done.'], env })
    const paused = await waiting.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'go')
    expect(paused.exit).toBe(10)

    const run = working.start(['-o', 'json', 'go'])
    const over = ended(run)
    onTestFinished(() => void run.kill('SIGKILL'))
    await expect.poll(async () => (await working.effects()).length).toBeGreaterThanOrEqual(3)
    await standby.takeOver()
    proxy.retarget(standby.url)
    expect(await over).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect(await working.effects()).toEqual(Array.from({ length: COUNT }, (_, n) => `effect ${n}`))

    const approved = await waiting.holdpoint('-c', String(paused.json?.checkpoint_id), '--approve', 'tc_1')
    expect(approved.exit).toBe(0)
    expect(await waiting.effects()).toEqual(['approved'])
    expect(await waiting.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })
}
