/** P10: what is done to a record, to what it follows from, or to one that is not sealed yet, is found and named. */
import { afterAll, describe, expect, test } from 'vitest'
import type { AuditVerification } from '../../src/core/audit/audit-chain.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { Changes } from '../../src/stores/postgres/changes/changes.ts'
import { Pool } from '../../src/stores/postgres/database/pool.ts'
import { PostgresDriver } from '../../src/stores/postgres/postgres-driver.ts'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { JournalTransaction } from '../../src/stores/sql/journal/journal-transaction.ts'
import { anEvent } from '../../src/testing/contracts/sample-journal.ts'
import { aDecision, aGrant, aHold, aStart } from '../../src/testing/contracts/store-samples.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`the check of the log in PostgreSQL (${database.missing})`, () => {})
else describe('the check of the log in PostgreSQL', () => checking(database.url))

function checking(url: string): void {
  let schemas = 0
  const nextUrl = () => {
    schemas += 1
    return `${url}?schema=checked_${schemas}`
  }

  const codes = ({ faults }: AuditVerification) => [...new Set(faults.map(({ code }) => code))]

  /** A run of its own, with a hold that is open and one that is decided. */
  async function live(store: Store, n: number): Promise<void> {
    const [open, decided] = [`hold_${n}a`, `hold_${n}b`]
    const run_id = `run_${n}`
    const opens = [open, decided].map(id => aHold(id, { run_id }))
    const asked = opens.map(({ id: hold_id, call_id, digest }) =>
      anEvent('hold.opened', { hold_id, call_id, digest }, run_id),
    )
    await store.start(
      aStart({ run: run_id, thread: `th_${n}`, opens, events: [anEvent('run.started', {}, run_id), ...asked] }),
    )
    const grant = aGrant(`grant_${n}`, { hold_id: decided, scope_id: run_id, granted_at: new Date().toISOString() })
    await store.decide([aDecision(decided, { grant, digest: opens[1]?.digest ?? null })])
    await store.record([{ kind: 'hold.shown', hold_id: open, actor: 'ana', data: {} }])
    const by = { by: 'ana', surface: 'test' }
    await store.access.add({
      id: `t_${n}`,
      name: 'ci',
      role: 'decider',
      expires_at: null,
      digest: `sha256:${n}`,
      ...by,
    })
    if (n % 2 === 0) await store.revoke({ grant_id: grant.id, ...by })
  }

  test('P10: beside many writers, each check finds all as it was written', async () => {
    const at = nextUrl()
    await using store = await openPostgresStore(at)
    await using other = await openPostgresStore(at)
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 0; n < 8; n += 1) await live(writer % 2 === 0 ? store : other, writer * 8 + n)
      }),
    )
    let isOver = false
    const over = writing.finally(() => {
      isOver = true
    })
    while (!isOver) expect(await store.verifyAudit()).toMatchObject({ faults: [] })
    await over
    expect(await store.verifyAudit()).toMatchObject({ faults: [], count: 48 * 6 + 24 })
    expect(await store.grantFault('grant_1')).toBeNull()
  })

  test.each([
    ['a record is changed', `UPDATE @audit SET record = replace(record, '"ana"', '"ben"') WHERE seq = 5`, 'altered'],
    ['a record is removed', 'DELETE FROM @audit WHERE seq = 2', 'missing'],
    ['the end of the log is removed', 'DELETE FROM @audit WHERE seq >= 5', 'head_not_found'],
    [
      'an event is changed',
      `UPDATE @events SET data = replace(data, '"policy"', '"other"') WHERE seq = 2`,
      'event_altered',
    ],
    ['an event is removed', 'DELETE FROM @events WHERE seq = 4', 'event_missing'],
    ['a hold is decided in its row alone', `UPDATE @holds SET status = 'decided' WHERE id = 'hold_1a'`, 'hold_altered'],
    ['a hold is removed', `DELETE FROM @holds WHERE id = 'hold_1a'`, 'hold_missing'],
    ['a grant lasts longer', 'UPDATE @grants SET expires_at = 9000000000000', 'grant_altered'],
    ['a grant covers more', `UPDATE @grants SET tool = 'destroy'`, 'grant_altered'],
    ['a grant is removed', 'DELETE FROM @grants', 'grant_missing'],
    ['a token has another role', `UPDATE @access SET role = 'admin'`, 'access_altered'],
  ])('P10: %s, and the check tells so', async (_what, tampering, code) => {
    const at = nextUrl()
    await using store = await openPostgresStore(at)
    await live(store, 1)
    expect(await store.verifyAudit()).toMatchObject({ faults: [] })
    await using pool = await Pool.open(at, null)
    expect((await pool.query(tampering)).count).toBeGreaterThan(0)
    expect(codes(await store.verifyAudit())).toContain(code)
  })

  test('P10: a grant whose row was changed is known before it lets a call pass', async () => {
    const at = nextUrl()
    await using store = await openPostgresStore(at)
    await live(store, 1)
    await using pool = await Pool.open(at, null)
    await pool.query('UPDATE @grants SET expires_at = 9000000000000')
    expect(await store.grantFault('grant_1')).toBe('expires_at')
  })

  test.each([
    ['is removed', 'DELETE FROM @audit_pending', 'not_on_record'],
    ['is changed', `UPDATE @audit_pending SET record = replace(record, 'tester', 'other')`, 'event_altered'],
    ['is made unreadable', `UPDATE @audit_pending SET record = '{'`, 'unreadable'],
  ])(
    'P10: a record of an event that %s before it is sealed is missed in the journal',
    async (_what, tampering, code) => {
      await using pool = await Pool.open(nextUrl(), null)
      // Nothing is sealed after it.
      await using changes = new Changes(pool, () => {})
      await new PostgresDriver(pool).transaction(function* (transaction) {
        const journals = new JournalTransaction(transaction, changes)
        yield* journals.write(yield* journals.lockOrMake('th_1', 0), [anEvent('run.started')])
      })
      expect((await pool.query(tampering)).count).toBe(1)
      await using store = await openPostgresStore(`${url}?schema=checked_${schemas}`)
      expect(codes(await store.verifyAudit())).toContain(code)
    },
  )
}
