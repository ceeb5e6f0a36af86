/** P10: a grant or a token that was changed in its row alone is found, and named. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anEvent } from '../../../testing/contracts/sample-journal.ts'
import { aDecision, aGrant, aHold, aStart, claimed } from '../../../testing/contracts/store-samples.ts'
import { handClock } from '../../../testing/kit/hand-clock.ts'
import { openSqliteStore } from '../sqlite-store.ts'

let directory = ''
let files = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-standing-'))
})
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

/** Two grants, of which one is revoked and one was used, and two tokens, of which one is revoked. */
async function scene() {
  files += 1
  const path = join(directory, `${files}.db`)
  const store = await openSqliteStore(path, handClock('2030-01-01T00:00:00.000Z'))
  const match = { command: 'echo one*' }
  await store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
  await store.decide([
    aDecision('hold_1', { grant: aGrant('grant_1', { match, arguments: null, expires_at: '2030-02-01T00:00:00Z' }) }),
    aDecision('hold_2', { grant: aGrant('grant_2', { hold_id: 'hold_2', scope: 'project', scope_id: '/' }) }),
  ])
  const seen = (await store.journal('th_1')).length
  await store.append(await claimed(store), seen, { events: [anEvent('call.gated', { grant_id: 'grant_1' })] })
  await store.revoke({ grant_id: 'grant_2', by: 'ben', surface: 'test' })
  const token = { name: 'ben', role: 'viewer', expires_at: null, by: 'ana', surface: 'cli' } as const
  for (const id of ['token_1', 'token_2']) await store.access.add({ ...token, id, digest: `sha256:${id}` })
  await store.access.revoke({ id: 'token_2', by: 'ana', surface: 'cli' })
  const edit = (...statements: readonly string[]) => {
    const database = new DatabaseSync(path)
    for (const sql of statements) database.exec(sql)
    database.close()
  }
  // The holds of the samples have other digests than their events.
  const faults = async () => (await store.verifyAudit()).faults.filter(({ code }) => code !== 'hold_altered')
  return { store, edit, faults, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

const INSERT_GRANT = `INSERT INTO grants (id, agent, tool, given)
  SELECT 'grant_9', agent, tool, replace(given, 'echo one*', 'echo *') FROM grants WHERE id = 'grant_1'`
const INSERT_TOKEN = `INSERT INTO access (id, kind, name, role, digest, created_at, created_by)
  VALUES ('token_9', 'token', 'eve', 'admin', 'sha256:9', 0, 'ana')`
const telling = (what: string) => expect.stringContaining(what)

describe('what is used without asking', () => {
  test('is without fault if nothing was changed', async () => {
    await using it = await scene()
    expect(await it.faults()).toEqual([])
  })

  test.each([
    ['a wider pattern', `UPDATE grants SET given = replace(given, 'echo one*', 'echo *')`, 'grant_altered', 'content'],
    ['another tool', `UPDATE grants SET tool = 'rm' WHERE id = 'grant_1'`, 'grant_altered', 'content'],
    ['another agent', `UPDATE grants SET agent = 'x' WHERE id = 'grant_1'`, 'grant_altered', 'content'],
    ['a wider scope', `UPDATE grants SET given = replace(given, '"run"', '"thread"')`, 'grant_altered', 'scope'],
    ['a later end', `UPDATE grants SET expires_at = NULL WHERE id = 'grant_1'`, 'grant_altered', 'expires_at'],
    ['fewer uses', `UPDATE grants SET uses = 0`, 'grant_altered', 'count of uses'],
    ['its revocation undone', `UPDATE grants SET revoked_at = NULL`, 'grant_altered', 'end'],
    ['another revoker', `UPDATE grants SET revoked_by = 'eve' WHERE id = 'grant_2'`, 'grant_altered', 'revoker'],
    ['no text that can be read', `UPDATE grants SET given = '{' WHERE id = 'grant_1'`, 'row_unreadable', 'its given'],
    ['no row', `DELETE FROM grants WHERE id = 'grant_1'`, 'grant_missing', 'grant_1'],
    ['a row alone', INSERT_GRANT, 'not_on_record', 'grant_9'],
  ])('P10: a grant with %s is named', async (_, sql, code, about) => {
    await using it = await scene()
    it.edit(sql)
    expect(await it.faults()).toMatchObject([{ code, message: telling(about) }])
  })

  test.each([
    ['another role', `UPDATE access SET role = 'admin' WHERE id = 'token_1'`, 'access_altered', 'role'],
    ['another name', `UPDATE access SET name = 'ana' WHERE id = 'token_1'`, 'access_altered', 'name'],
    ['another secret', `UPDATE access SET digest = 'sha256:x' WHERE id = 'token_1'`, 'access_altered', 'proof'],
    ['another end', `UPDATE access SET expires_at = 1 WHERE id = 'token_1'`, 'access_altered', 'expires_at'],
    ['its revocation undone', `UPDATE access SET revoked_at = NULL`, 'access_altered', 'revoked_at'],
    ['no row', `DELETE FROM access WHERE id = 'token_1'`, 'access_missing', 'token_1'],
    ['a row alone', INSERT_TOKEN, 'not_on_record', 'token_9'],
  ])('P10: a token with %s is named', async (_, sql, code, about) => {
    await using it = await scene()
    it.edit(sql)
    expect(await it.faults()).toMatchObject([{ code, message: telling(about) }])
  })

  test('a grant that went with its thread is not missed, and is named if it is back', async () => {
    await using it = await scene()
    it.edit(
      `CREATE TABLE kept AS SELECT * FROM grants WHERE id = 'grant_1'`,
      `UPDATE runs SET status = 'done', lease_owner = NULL, lease_until = NULL`,
    )
    const prune = { before: '2031-01-01T00:00:00.000Z', by: 'ana', surface: 'cli', dry_run: false } as const
    expect((await it.store.prune(prune)).threads).toMatchObject([{ grants: 1 }])
    expect(await it.faults()).toEqual([])
    it.edit('INSERT INTO grants SELECT * FROM kept')
    expect(await it.faults()).toMatchObject([{ code: 'not_on_record' }])
  })
})
