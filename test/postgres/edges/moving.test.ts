/** Sessions and whole stores that move between a file and PostgreSQL, by the built command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { MIGRATIONS as SCHEMAS } from '../../../src/stores/postgres/database/schema/schema.ts'
import { APPLICATION } from '../../../src/stores/sqlite/database/opening/empty-database.ts'
import { MIGRATIONS } from '../../../src/stores/sqlite/database/schema/schema.ts'
import { openDatabase } from '../../open-database.ts'
import { aProject, effect, type Project } from '../../scenarios/project.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`moves to and from PostgreSQL (${database.missing})`, () => {})
else describe('moves to and from PostgreSQL', () => moving(database.url))

const COPY = resolve(import.meta.dirname, '../../store-copy/copy-process.ts')

function moving(url: string): void {
  const script = [{ calls: [effect('t1', 'one')] }, 'Done.']
  const onStore = (store: string | null): Promise<Project> =>
    aProject({ script, ...(store && { env: { HOLDPOINT_STORE: store } }) })
  const inSchema = (name: string) => `${url}?schema=${name}`

  async function paused(project: Project): Promise<string> {
    const { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(exit).toBe(10)
    return json.checkpoint_id
  }

  async function asOwner(sql: string): Promise<readonly Record<string, unknown>[]> {
    const owner = new pg.Client(url)
    await owner.connect()
    return (await owner.query(sql).finally(() => owner.end())).rows
  }

  test.each([
    ['a file', 'PostgreSQL', null, inSchema('arrived')],
    ['PostgreSQL', 'a file', inSchema('left'), null],
  ])(
    'a run that was exported from %s is approved in %s, goes on there, and has one effect',
    async (_from, _to, from, to) => {
      await using here = await onStore(from)
      await using there = await onStore(to)
      const checkpoint = await paused(here)
      const exported = await here.holdpoint('checkpoint', 'export', checkpoint, '--out', 'run.bundle', '--json')
      expect(exported).toMatchObject({ exit: 0, stderr: '' })
      await cp(here.path('run.bundle'), there.path('run.bundle'))
      const done = await there.holdpoint('-c', 'run.bundle', '--approve', 't1', '-o', 'json')
      expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
      expect([await here.effects(), await there.effects()]).toEqual([[], ['one']])
      const late = await here.holdpoint('-c', checkpoint, '--approve', 't1', '-o', 'json')
      expect(late).toMatchObject({ exit: 2, json: { error: { code: 'exported' } } })
      for (const each of [here, there]) expect(await each.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
    },
  )

  test('a store that moves to PostgreSQL is refused to readers until it is all there, and then its run goes on', async () => {
    await using here = await onStore(null)
    await using there = await onStore(inSchema('moved'))
    const checkpoint = await paused(here)
    const from = `sqlite:${here.path('.holdpoint', 'holdpoint.db')}`
    const planned = await here.holdpoint('store', 'copy', from, inSchema('moved'), '--dry-run', '--json')
    expect(planned).toMatchObject({ exit: 0, json: { rows: { runs: 1 } } })
    expect(await there.holdpoint('runs', '--json')).toMatchObject({ json: { error: { code: 'no_store' } } })

    const copying = spawn(process.execPath, [COPY, from, inSchema('moved'), '4', 'after'])
    expect(await once(copying, 'exit')).toEqual([null, 'SIGKILL'])
    for (const words of [['runs'], ['holds'], ['approve', 't1'], ['-o', 'json', 'go']]) {
      const refused = await there.holdpoint(...words, '--json')
      expect(refused, words.join(' ')).toMatchObject({ exit: 2, json: { error: { code: 'store_copy_unfinished' } } })
    }

    const copied = await here.holdpoint('store', 'copy', from, inSchema('moved'), '--json')
    expect(copied).toMatchObject({ exit: 0, json: { rows: { runs: 1 }, journal_hash: expect.any(String) } })
    const late = await here.holdpoint('approve', 't1', '--json')
    expect(late).toMatchObject({ json: { error: { code: 'store_moved' } } })
    const done = await there.holdpoint('-c', checkpoint, '--approve', 't1', '-o', 'json')
    expect(done).toMatchObject({ json: { outcome: 'completed' } })
    expect(await there.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })
  })

  test('doctor tells that a store moved away from PostgreSQL, and so does a list', async () => {
    await using project = await onStore(inSchema('moved_away'))
    await paused(project)
    const to = `sqlite:${project.path('other.db')}`
    expect(await project.holdpoint('store', 'copy', inSchema('moved_away'), to)).toMatchObject({ exit: 0 })
    const { checks } = (await project.holdpoint('doctor', '--offline', '--json')).json
    const store = expect.objectContaining({ check: 'store', status: 'warn', message: expect.stringContaining(to) })
    expect(checks).toContainEqual(store)
    expect((await project.holdpoint('holds')).stderr).toContain(to)
  })

  test('to look at the move of an older store changes neither the store nor its version', async () => {
    await using project = await onStore(null)
    const file = join(project.directory, 'old.db')
    {
      using old = openDatabase(file)
      for (const migration of MIGRATIONS.slice(0, 1)) old.exec(migration)
      old.exec(`PRAGMA user_version = 1; PRAGMA application_id = ${APPLICATION}`)
    }
    const before = await readFile(file)
    const look = (from: string, to: string) => project.holdpoint('store', 'copy', from, to, '--dry-run', '--json')
    expect(await look(`sqlite:${file}`, inSchema('of_old'))).toMatchObject({ exit: 0, json: { rows: { runs: 0 } } })
    expect(await readFile(file)).toEqual(before)
    expect(await asOwner(`SELECT FROM pg_namespace WHERE nspname = 'of_old'`)).toEqual([])

    await asOwner(`CREATE SCHEMA older; ${SCHEMAS[0]?.replaceAll(/@(?=[a-z_])/g, 'older.')};
      UPDATE older.schema_version SET version = 1`)
    expect(await look(inSchema('older'), 'sqlite:new.db')).toMatchObject({ exit: 0, json: { rows: { runs: 0 } } })
    expect(await look(`sqlite:${file}`, inSchema('older'))).toMatchObject({ exit: 0 })
    expect(await asOwner('SELECT version FROM older.schema_version')).toEqual([{ version: 1 }])
    expect(project.exists('new.db')).toBe(false)
  })
}
