import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { aProject } from '../../scenarios/project.ts'
import { openCuttingProxy } from '../cutting-proxy.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`the doctor of PostgreSQL (${database.missing})`, () => {})
else describe('the doctor of PostgreSQL', () => examining(database.url, database.replica))

interface Found {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly hint: string | null
}

type OpenReplica = (() => Promise<AsyncDisposable & { readonly url: string }>) | null

function examining(url: string, replica: OpenReplica): void {
  async function asOwner(sql: string): Promise<readonly Record<string, unknown>[]> {
    const owner = new pg.Client(url)
    await owner.connect()
    return (await owner.query(sql).finally(() => owner.end())).rows
  }

  /** What the doctor says of the store, by check. */
  async function lookedAt(store: string): Promise<Readonly<Record<string, Found>>> {
    await using project = await aProject({ script: ['Done.'] })
    const { json } = await project.holdpoint('doctor', '--json', '--offline', '--store', store)
    return Object.fromEntries(json.checks.map((found: Found) => [found.check, found]))
  }

  async function aStore(schema: string): Promise<string> {
    const store = `${url}?schema=${schema}`
    await using project = await aProject({ script: ['Done.'], env: { HOLDPOINT_STORE: store } })
    expect(await project.holdpoint('go')).toMatchObject({ exit: 0 })
    return store
  }

  const as = (user: string, store: string) => store.replace('holdpoint:test@', `${user}:test@`)

  test('of a store that is well it says the version, the rights, and that nothing waits', async () => {
    const found = await lookedAt(await aStore('well'))
    expect(found).toMatchObject({
      store: { status: 'ok', message: expect.stringMatching(/schema=well, PostgreSQL \d+.*, schema \d+$/) },
      rights: { status: 'ok', message: 'holdpoint owns the tables' },
      changes: { status: 'ok' },
      clock: { status: 'ok', message: expect.stringContaining('0.0 s') },
      protection: { status: 'ok' },
      audit: { status: 'ok', message: 'each record of the audit log has its place' },
    })
  })

  test('of a database without a store it says so, and whether this user may make one', async () => {
    expect(await lookedAt(`${url}?schema=none_yet`)).toMatchObject({
      store: { status: 'ok', message: expect.stringContaining('not there yet') },
      rights: { status: 'ok' },
    })
    await asOwner(`REVOKE CREATE ON DATABASE postgres FROM PUBLIC; CREATE ROLE weak LOGIN PASSWORD 'test'`)
    expect((await lookedAt(as('weak', `${url}?schema=none_yet`)))['rights']).toMatchObject({
      ...{ status: 'fail', hint: expect.stringContaining('CREATE SCHEMA "none_yet" AUTHORIZATION "weak"') },
    })
    expect(await asOwner(`SELECT FROM pg_namespace WHERE nspname = 'none_yet'`)).toEqual([])
  })

  test('of a user that may not read, from whom rows are hidden, or who may only read, it says which', async () => {
    const store = await aStore('of_owner')
    await asOwner(`CREATE ROLE outside LOGIN PASSWORD 'test'; CREATE ROLE blind LOGIN PASSWORD 'test';
      CREATE ROLE auditor LOGIN PASSWORD 'test' BYPASSRLS; GRANT USAGE ON SCHEMA of_owner TO blind, auditor;
      GRANT SELECT ON ALL TABLES IN SCHEMA of_owner TO blind, auditor;
      CREATE ROLE reader LOGIN PASSWORD 'test' IN ROLE holdpoint; ALTER ROLE reader SET default_transaction_read_only = on`)
    const rightsOf = async (user: string) => (await lookedAt(as(user, store)))['rights']
    expect(await rightsOf('outside')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('may not read'),
    })
    expect(await rightsOf('blind')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('hides the rows'),
    })
    expect(await rightsOf('auditor')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('may not write'),
    })
    expect(await rightsOf('reader')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('may only read'),
    })
  })

  test('of a pooler that passes no notices it says what follows', async () => {
    const store = await aStore('pooled')
    await using proxy = await openCuttingProxy(url)
    proxy.dropNotices()
    expect((await lookedAt(`${proxy.url}?schema=pooled`))['changes']).toMatchObject({
      ...{ status: 'warn', hint: expect.stringContaining('session mode') },
    })
    expect((await lookedAt(store))['changes']).toMatchObject({ status: 'ok' })
  })

  test('records that wait for long, and a table without row level security, are told', async () => {
    const store = await aStore('faulty')
    await asOwner(`SET search_path = faulty; ALTER TABLE runs DISABLE ROW LEVEL SECURITY;
      INSERT INTO audit_pending (at, record) SELECT 0, record FROM audit LIMIT 1`)
    expect(await lookedAt(store)).toMatchObject({
      protection: { status: 'warn', message: expect.stringContaining('off for runs') },
      audit: { status: 'warn', message: expect.stringContaining('1 record waits') },
    })
  })

  test('a database that does not answer is a failure that says so', async () => {
    expect((await lookedAt('postgres://127.0.0.1:1/x'))['store']).toMatchObject({
      ...{ status: 'fail', message: expect.stringContaining('does not answer'), hint: expect.any(String) },
    })
  })

  test.skipIf(replica === null)('of a replica it says that only looking works', async () => {
    await aStore('replicated')
    await using standby = await (replica as NonNullable<OpenReplica>)()
    const found = await lookedAt(`${standby.url}?schema=replicated`)
    expect(found['rights']).toMatchObject({ status: 'warn', message: expect.stringContaining('replica') })
    expect(found['changes']).toMatchObject({ status: 'warn' })
    expect(found['store']).toMatchObject({ status: 'ok' })
  })
}
