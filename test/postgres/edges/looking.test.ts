import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../../scenarios/project.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`looking at PostgreSQL (${database.missing})`, () => {})
else describe('looking at PostgreSQL', () => looking(database.url, database.replica))

type OpenReplica = (() => Promise<AsyncDisposable & { readonly url: string }>) | null

const LOOKING = [
  ['runs'],
  ['holds'],
  ['threads'],
  ['tasks', 'list'],
  ['agents'],
  ['audit'],
  ['audit', 'verify'],
  ['grants'],
  ['report'],
  ['show', 't1'],
  ['notices'],
]

const WRITING = [
  ['approve', 't1'],
  ['-o', 'json', 'go'],
]

function looking(url: string, replica: OpenReplica): void {
  const script = [{ calls: [effect('t1', 'one')] }, 'Done.']
  const onStore = (at: string): Promise<Project> => aProject({ script, env: { HOLDPOINT_STORE: at } })

  async function asOwner(sql: string): Promise<readonly Record<string, unknown>[]> {
    const owner = new pg.Client(url)
    await owner.connect()
    return (await owner.query(sql).finally(() => owner.end())).rows
  }

  test('commands that only look or go on say that there is no store, and make none', async () => {
    await using project = await onStore(`${url}?schema=nothing`)
    for (const words of [...LOOKING, ['approve', 't1'], ['-c', 'cp_0123456789abcdef0123456789', '--approve', 't1']]) {
      const refused = await project.holdpoint(...words, '--json')
      expect(refused, words.join(' ')).toMatchObject({ exit: 2, json: { error: { code: 'no_store' } } })
      expect(refused.json.error.message).toContain('the schema nothing')
    }
    expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0, stdout: 'Nothing was run here yet.\n' })
    expect((await project.holdpoint('doctor', '--json')).json.checks).toContainEqual(
      expect.objectContaining({ check: 'store', status: 'ok', message: expect.stringContaining('not there yet') }),
    )
    expect(await asOwner(`SELECT FROM pg_namespace WHERE nspname = 'nothing'`)).toEqual([])
  })

  /** A run that waits, and a record of the audit log that has no place yet. */
  async function aStore(schema: string): Promise<string> {
    const at = `${url}?schema=${schema}`
    await using project = await onStore(at)
    expect(await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
    await asOwner(`SET search_path = ${schema};
      WITH gone AS (DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit) RETURNING record)
      INSERT INTO audit_pending (at, record) SELECT 0, record FROM gone;
      UPDATE audit_head SET (seq, hash) = (SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1)`)
    return at
  }

  /** Each command of `WRITING` is refused with the code, and each of `LOOKING` shows what is there. */
  async function expectOnlyLooks(at: string, code: string): Promise<void> {
    await using project = await onStore(at)
    for (const words of LOOKING) {
      const looked = await project.holdpoint(...words, '--json')
      expect(looked, `${words.join(' ')}: ${looked.stdout}`).toMatchObject({ exit: 0 })
    }
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
    for (const words of WRITING) {
      const refused = await project.holdpoint(...words, '--json')
      expect(refused.exit, words.join(' ')).not.toBe(0)
      expect(refused.json.error, words.join(' ')).toMatchObject({ code, hint: expect.any(String) })
    }
    expect(await project.effects()).toEqual([])
  }

  test('a user whose transactions may only read looks at all, also while a record waits for its place', async () => {
    const at = await aStore('only_read')
    await asOwner(`CREATE ROLE reader LOGIN PASSWORD 'test' IN ROLE holdpoint;
      ALTER ROLE reader SET default_transaction_read_only = on`)
    await expectOnlyLooks(at.replace('holdpoint:test@', 'reader:test@'), 'store_readonly')
  })

  test('a user with the right to read alone looks at all, and is refused to write', async () => {
    const at = await aStore('only_select')
    await asOwner(`CREATE ROLE auditor LOGIN PASSWORD 'test' BYPASSRLS; GRANT USAGE ON SCHEMA only_select TO auditor;
      GRANT SELECT ON ALL TABLES IN SCHEMA only_select TO auditor`)
    await expectOnlyLooks(at.replace('holdpoint:test@', 'auditor:test@'), 'store_denied')
  })

  test('a user from whom row level security hides all is told so, and is not shown an empty store', async () => {
    const at = await aStore('hidden')
    await asOwner(`CREATE ROLE blind LOGIN PASSWORD 'test'; GRANT USAGE ON SCHEMA hidden TO blind;
      GRANT SELECT ON ALL TABLES IN SCHEMA hidden TO blind`)
    await using project = await onStore(at.replace('holdpoint:test@', 'blind:test@'))
    const refused = await project.holdpoint('runs', '--json')
    expect(refused).toMatchObject({ exit: 1, json: { error: { code: 'store_denied' } } })
    expect(refused.json.error.message).toContain('hides')
  })

  test.skipIf(replica === null)('a replica shows all, and says by name that it takes no writes', async () => {
    await aStore('replicated')
    await using standby = await (replica as NonNullable<OpenReplica>)()
    await expectOnlyLooks(`${standby.url}?schema=replicated`, 'store_readonly')
  })
}
