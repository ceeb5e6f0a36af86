/** A database that is away for a while, full, or held up by others: what was asked for is done once, or is refused by name. */
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { asStoreError } from '../../../src/stores/postgres/database/database-errors.ts'
import { Pool } from '../../../src/stores/postgres/database/pool.ts'
import { aProject, effect, ended, type Project } from '../../scenarios/project.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`outages of PostgreSQL (${database.missing})`, () => {})
else {
  const { url, stop, start } = database
  describe('outages of PostgreSQL', () => holdingUp(url))
  if (stop && start) describe('outages of PostgreSQL', () => goingAway(url, { stop, start }))
}

interface Power {
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

const rest = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

function goingAway(url: string, { stop, start }: Power): void {
  const turn = (n: number) => ({ delay_ms: 150, calls: [effect(`t${n}`, `effect ${n}`)] })
  const script = [...Array.from({ length: 12 }, (_, n) => turn(n)), 'Done.']
  const onStore = (schema: string): Promise<Project> =>
    aProject({ script, env: { HOLDPOINT_STORE: `${url}?schema=${schema}` } })

  async function untilEffects(project: Project, count: number): Promise<void> {
    await expect.poll(async () => (await project.effects()).length).toBeGreaterThanOrEqual(count)
  }

  test.each([
    ['at once', 0],
    ['after 4 s', 4_000],
  ])('P3: a run whose database restarts and is back %s goes on to its end, with each effect once', async (_, away) => {
    await using project = await onStore(`restarted_${away}`)
    const run = project.start(['-o', 'json', 'go'])
    const over = ended(run)
    onTestFinished(() => void run.kill('SIGKILL'))
    await untilEffects(project, 3)
    await stop()
    await rest(away)
    await start()
    expect(await over).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect(await project.effects()).toEqual(Array.from({ length: 12 }, (_, n) => `effect ${n}`))
    expect(await project.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })
}

function holdingUp(url: string): void {
  const script = [{ calls: [effect('t1', 'one')] }, 'Done.']

  async function connected(as = url): Promise<pg.Client> {
    const client = new pg.Client(as)
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  test('a decision that waits longer for a lock than a lock may be waited for is recorded once the lock is free', async () => {
    await using project = await aProject({ script, env: { HOLDPOINT_STORE: `${url}?schema=locked` } })
    expect(await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
    const other = await connected()
    await other.query('BEGIN; LOCK TABLE locked.threads IN ACCESS EXCLUSIVE MODE')
    const deciding = project.holdpoint('approve', 't1', '--json')
    const first = await Promise.race([deciding, rest(7_000).then(() => 'it waits')])
    expect(first).toBe('it waits')
    await other.query('COMMIT')
    expect(await deciding).toMatchObject({ exit: 0, json: { outcome: 'recorded' } })
    expect(await project.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })

  test('a transaction of which a statement took too long leaves no trace, and is tried again', async () => {
    await using pool = await Pool.open(`${url}?schema=slow`, null)
    let tries = 0
    await pool.transaction(async ({ query }) => {
      tries += 1
      await query('INSERT INTO @cursors (name, seq) VALUES ($1, $2)', [`try ${tries}`, tries])
      if (tries < 3) {
        await query(`SET LOCAL statement_timeout = '50ms'`)
        await query('SELECT pg_sleep(5)')
      }
    })
    const { rows } = await pool.query('SELECT name FROM @cursors')
    expect([tries, rows]).toEqual([3, [{ name: 'try 3' }]])
  })

  test('a command waits for a place if its user has no connection left, and then answers', async () => {
    const owner = await connected()
    await owner.query(`CREATE ROLE narrow LOGIN PASSWORD 'test' CONNECTION LIMIT 2;
      CREATE SCHEMA narrow AUTHORIZATION narrow`)
    const own = url.replace('holdpoint:test@', 'narrow:test@')
    await using project = await aProject({ script, env: { HOLDPOINT_STORE: `${own}?schema=narrow` } })
    expect(await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
    const taken = [await connected(own), await connected(own)]
    const asking = project.holdpoint('holds', '--json')
    expect(await Promise.race([asking, rest(3_000).then(() => 'it waits')])).toBe('it waits')
    await Promise.all(taken.map(client => client.end()))
    const asked = await asking
    expect(asked).toMatchObject({ exit: 0 })
    expect(asked.json).toHaveLength(1)
  })

  test('a user that has no connection left is told so by name', async () => {
    const owner = await connected()
    await owner.query(`CREATE ROLE crowded LOGIN PASSWORD 'test' CONNECTION LIMIT 0`)
    const refused: unknown = await connected(url.replace('holdpoint:test@', 'crowded:test@')).catch(thrown => thrown)
    expect(asStoreError(refused, 'postgres://crowded@db')).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('takes no more connections'),
      hint: expect.stringContaining('max_connections'),
    })
  })
}
