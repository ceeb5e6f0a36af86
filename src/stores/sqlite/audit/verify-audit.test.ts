/** P10: whatever is done to one record or to one event that is on record is found, every time, and named. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../../../test/runs.ts'
import type { AuditFault, AuditVerification } from '../../../core/audit/audit-chain.ts'
import { chainHash } from '../../../core/audit/audit-chain.ts'
import type { NewHold } from '../../../core/hold/hold.ts'
import { callText, termsText } from '../../../core/hold/hold-digests.ts'
import { type PlainEvent, plainEvent } from '../../../core/journal/event.ts'
import { NO_TIMING } from '../../../core/people/due.ts'
import type { Store } from '../../../ports/store/store.ts'
import { aDecision, anEvent } from '../../../testing/contracts/sample-journal.ts'
import { handClock } from '../../../testing/kit/hand-clock.ts'
import { sha256 } from '../../sha256.ts'
import { MIGRATIONS } from '../database/schema/schema.ts'
import { openSqliteStore } from '../sqlite-store.ts'

let directory = ''
let files = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-audit-'))
})
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

const aPath = (): string => {
  files += 1
  return join(directory, `${files}.db`)
}
const open = (path: string): Promise<Store> => openSqliteStore(path, handClock('2030-01-01T00:00:00.000Z'))

async function verify(path: string): Promise<AuditVerification> {
  await using store = await open(path)
  return await store.verifyAudit()
}

function edit(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA synchronous = OFF')
    work(database)
  } finally {
    database.close()
  }
}

const ARGUMENTS = { of: 'call_1' }
const DIGEST = `sha256:${sha256(callText({ name: 'work', arguments: ARGUMENTS, schema: { type: 'object' } }))}`

const aHold = (id: string, run_id: string): NewHold => ({
  ...NO_TIMING,
  id,
  kind: 'approval',
  run_id,
  agent: 'tester',
  call_id: 'call_1',
  tool: 'work',
  arguments: ARGUMENTS,
  digest: DIGEST,
  message: 'May work run?',
  context: null,
  choices: null,
  response_schema: null,
  resume_mode: 'replay_tool_call',
  tool_schema: { type: 'object' },
  destructive: false,
  deciders: null,
  requesters: [],
})

/** As the runtime writes it. */
const asOpened = (hold: NewHold) => ({
  hold_id: hold.id,
  digest: hold.digest,
  terms: `sha256:${sha256(termsText(hold))}`,
  due_at: hold.due_at,
})

/** Somebody who lives on a store, by a random choice of what happens next. */
class Life {
  readonly #store: Store
  #names = 0
  #run = { id: '', thread_id: '' }
  #held: string[] = []

  constructor(store: Store) {
    this.#store = store
  }

  async live(choices: readonly number[]): Promise<void> {
    await this.start()
    const acts = [
      () => this.start(),
      () => this.fork(),
      () => this.append(anEvent('model.answered'), anEvent('call.gated', { grant_id: null, approval_id: null })),
      () => this.append(anEvent('call.started'), anEvent('call.finished', { output: 'ü "much"' })),
      () => this.append(anEvent('call.gated', { grant_id: 'grant_1', approval_id: null }), anEvent('call.started')),
      () => this.hold(),
      () => this.hold(),
      () => this.decide(),
      () => this.amend(),
      () =>
        this.#store.request({
          run_id: this.#run.id,
          event: this.own('cancel.requested'),
          withdraw: true,
          unlessWaiting: false,
        }),
      () => this.#store.record([{ kind: 'hold.shown', hold_id: 'hold_1', actor: 'ben', data: { in_full: true } }]),
      () => this.#store.record([{ kind: 'decision.refused', surface: 'cli', data: { code: 'unknown_hold' } }]),
    ]
    for (const choice of choices) await acts[choice % acts.length]?.()
  }

  name(prefix: string): string {
    this.#names += 1
    return `${prefix}_${this.#names}`
  }

  own<K extends 'cancel.requested' | 'run.started'>(kind: K) {
    return anEvent(kind, {}, this.#run.id) as Extract<PlainEvent, { kind: K }>
  }

  async start(): Promise<void> {
    this.#run = { id: this.name('run'), thread_id: this.name('th') }
    this.#held = []
    await this.#begin([this.own('run.started')])
  }

  /** Begins with what happened elsewhere, and with a hold that is open here too. */
  async fork(): Promise<void> {
    const past = await this.#store.journal(this.#run.thread_id)
    this.#run = { id: this.name('run'), thread_id: this.name('th') }
    const hold = aHold(this.name('copy'), this.#run.id)
    this.#held = [hold.id]
    const opened = anEvent('hold.opened', asOpened(hold), this.#run.id)
    const copied = [...past.map(event => plainEvent({ ...event, run_id: this.#run.id })), opened]
    await this.#begin([...copied, anEvent('note', {}, this.#run.id)], { opens: [hold], copied: copied.length })
  }

  async #begin(events: PlainEvent[], more: { opens?: NewHold[]; copied?: number } = {}): Promise<void> {
    const run = { id: this.#run.id, agent: 'tester', hold_scope: 'batch' } as const
    const about = { status: 'running', checkpoint_id: null } as const
    await this.#store.start({ run, thread_id: this.#run.thread_id, after: 0, events, ...about, ...more })
  }

  async append(...events: PlainEvent[]): Promise<void> {
    await this.#append(events.map(event => ({ ...event, run_id: this.#run.id })))
  }

  async hold(): Promise<void> {
    const hold = aHold(this.name('hold'), this.#run.id)
    this.#held.push(hold.id)
    const because = this.#held.length % 2 === 0 ? 'tools.work: never' : 'default: prompt'
    await this.#append([anEvent('hold.opened', { because, ...asOpened(hold) }, this.#run.id)], [hold])
  }

  async #append(events: PlainEvent[], opens: NewHold[] = []): Promise<void> {
    const claimed = await this.#store.claim({ run_id: this.#run.id, owner: 'one', ttl_ms: 1_000, evict: 'one' })
    if (claimed?.outcome !== 'claimed') throw new TypeError('the run is busy')
    await this.#store.append(claimed.lease, 0, { events, opens })
  }

  async decide(): Promise<void> {
    const hold_id = this.#held.pop()
    const verdict = (['approve', 'edit', 'reject'] as const)[this.#names % 3] ?? 'approve'
    const said = { decision_id: this.name('dec'), digest: verdict === 'approve' ? DIGEST : null }
    if (hold_id) await this.#store.decide([{ ...aDecision(verdict, said), hold_id }])
  }

  async amend(): Promise<void> {
    const hold_id = this.#held.at(-1)
    if (!hold_id) return
    const event = anEvent('hold.assigned', { hold_id, call_id: 'call_1', assignee: 'cyd', by: 'ana' }, this.#run.id)
    await this.#store.amend([{ hold_id, event: event as never, seen: null }])
  }
}

interface Stored {
  readonly seq: number
  readonly record: string
  readonly hash: string
}

interface Place {
  readonly rows: readonly Stored[]
  /** Any number, to choose by. */
  readonly chance: number
}

/** Does something to one record or event, and tells what has to be named. */
type Tampering = (database: DatabaseSync, place: Place) => (fault: AuditFault) => boolean

const pick = <T>(from: readonly T[], chance: number): T => from[chance % from.length]!
const at =
  (...seqs: readonly number[]) =>
  (fault: AuditFault) =>
    seqs.includes(fault.seq ?? -1)

function flipped(text: string, chance: number): string {
  const index = chance % text.length
  const other = text[index] === 'x' ? 'y' : 'x'
  return text.slice(0, index) + other + text.slice(index + 1)
}

function put(database: DatabaseSync, { seq, record, hash }: Stored): void {
  database.prepare('INSERT OR REPLACE INTO audit (seq, record, hash) VALUES (?, ?, ?)').run(seq, record, hash)
}

const eventOf = ({ record }: Stored) => {
  const { thread_id, event_seq } = JSON.parse(record) as { thread_id: string; event_seq: number | null }
  return { thread_id, event_seq }
}

const ofEvents = (rows: readonly Stored[]) => rows.filter(row => eventOf(row).event_seq !== null)

const EVENT = 'place = (SELECT number FROM threads WHERE id = ?) * 4194304 + ?'

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'a character of a record is changed': (database, { rows, chance }) => {
    const row = pick(rows, chance)
    put(database, { ...row, record: flipped(row.record, chance) })
    return at(row.seq)
  },
  'a character of a hash is changed': (database, { rows, chance }) => {
    const row = pick(rows, chance)
    put(database, { ...row, hash: flipped(row.hash, chance) })
    return at(row.seq)
  },
  'a record is dropped': (database, { rows, chance }) => drop(database, pick(rows, chance)),
  'the newest record is dropped': (database, { rows }) => drop(database, rows.at(-1)!),
  'a record is put in': (database, { rows, chance }) => {
    const row = pick(rows, chance)
    database.exec(`UPDATE audit SET seq = -seq WHERE seq >= ${row.seq}; UPDATE audit SET seq = 1 - seq WHERE seq < 0`)
    put(database, { ...row, hash: sha256('anything') })
    return at(row.seq, row.seq + 1)
  },
  'a record with a right hash is put behind the newest': (database, { rows, chance }) => {
    const newest = rows.at(-1)!
    const seq = newest.seq + 1
    const record = JSON.stringify({ ...JSON.parse(pick(rows, chance).record), seq })
    put(database, { seq, record, hash: chainHash(sha256, newest.hash, record) })
    return at(seq)
  },
  'a record is repeated behind the newest': (database, { rows, chance }) => {
    const seq = rows.at(-1)!.seq + 1
    put(database, { ...pick(rows, chance), seq })
    return at(seq)
  },
  'two records change places': (database, { rows, chance }) => {
    const [one, two] = [pick(rows, chance), pick(rows, chance + 1 + (chance % (rows.length - 1)))]
    if (one.seq === two.seq) return drop(database, one)
    put(database, { ...one, seq: two.seq })
    put(database, { ...two, seq: one.seq })
    return at(one.seq, two.seq)
  },
  'what an event says is changed': (database, { rows, chance }) => {
    const row = pick(ofEvents(rows), chance)
    const { thread_id, event_seq } = eventOf(row)
    const data = String(database.prepare(`SELECT data FROM events WHERE ${EVENT}`).get(thread_id, event_seq)?.['data'])
    database.prepare(`UPDATE events SET data = ? WHERE ${EVENT}`).run(flipped(data, chance), thread_id, event_seq)
    return at(row.seq)
  },
  'when an event happened is changed': (database, { rows, chance }) => {
    const row = pick(ofEvents(rows), chance)
    const { thread_id, event_seq } = eventOf(row)
    database.prepare(`UPDATE events SET at = at + 1 WHERE ${EVENT}`).run(thread_id, event_seq)
    return at(row.seq)
  },
  'an event is dropped': (database, { rows, chance }) => {
    const row = pick(ofEvents(rows), chance)
    const { thread_id, event_seq } = eventOf(row)
    database.prepare(`DELETE FROM events WHERE ${EVENT}`).run(thread_id, event_seq)
    return at(row.seq)
  },
}

/** Does something to the row of a hold whose opening is on record. */
const HOLD_TAMPERINGS: Readonly<Record<string, (database: DatabaseSync, id: string) => void>> = {
  'its row is deleted': (database, id) => void database.prepare(`DELETE FROM holds WHERE id = ?`).run(id),
  'its deadline is set': (database, id) => void database.prepare(`UPDATE holds SET due_at = 1 WHERE id = ?`).run(id),
  'its call is another one': (database, id) =>
    void database.prepare(`UPDATE holds SET call_id = 'call_2' WHERE id = ?`).run(id),
  'its arguments are others': (database, id) =>
    void database.prepare(`UPDATE holds SET asked = json_set(asked, '$.arguments.of', 'another') WHERE id = ?`).run(id),
  'its digest is another one': (database, id) =>
    void database.prepare(`UPDATE holds SET asked = json_set(asked, '$.digest', 'sha256:2') WHERE id = ?`).run(id),
  'its digest is gone': (database, id) =>
    void database.prepare(`UPDATE holds SET asked = json_set(asked, '$.digest', NULL) WHERE id = ?`).run(id),
  'its deciders are others': (database, id) =>
    void database
      .prepare(
        `UPDATE holds SET asked = json_set(asked, '$.deciders', json('{"people":["eve"],"not_requester":false,"quorum":1}')) WHERE id = ?`,
      )
      .run(id),
  'it ended in its row alone': (database, id) => {
    const { status } = database.prepare(`SELECT status FROM holds WHERE id = ?`).get(id) as { status: string }
    const next = status === 'open' ? 'withdrawn' : 'open'
    database.prepare(`UPDATE holds SET status = '${next}', decision = NULL WHERE id = ?`).run(id)
  },
}

function drop(database: DatabaseSync, row: Stored): (fault: AuditFault) => boolean {
  database.prepare('DELETE FROM audit WHERE seq = ?').run(row.seq)
  const { thread_id, event_seq } = eventOf(row)
  const isEvent = (fault: AuditFault) =>
    event_seq !== null && fault.thread_id === thread_id && fault.event_seq === event_seq
  return fault => fault.seq === row.seq || isEvent(fault)
}

function rowsIn(path: string): Stored[] {
  let rows: Stored[] = []
  edit(path, database => {
    rows = database.prepare('SELECT seq, record, hash FROM audit ORDER BY seq').all() as unknown as Stored[]
  })
  return rows
}

const openedHolds = (rows: readonly Stored[]): string[] =>
  rows.flatMap(({ record }) => {
    const { kind, hold_id } = JSON.parse(record) as { kind: string; hold_id: string }
    // The terms of a copy were set elsewhere.
    return kind === 'hold.opened' && !hold_id.startsWith('copy') ? [hold_id] : []
  })

const isOfHold =
  (id: string) =>
  ({ code, message }: AuditFault): boolean =>
    (code === 'hold_altered' || code === 'hold_missing') && message.includes(`${id} `)

const ACTIVITY = fc.array(fc.nat(1_000), { minLength: 6, maxLength: 25 })

test('whatever happened, a log that nobody touched is without fault; whatever was done to it, is named', async () => {
  await fc.assert(
    fc.asyncProperty(ACTIVITY, fc.nat(1_000_000), async (choices, chance) => {
      const path = aPath()
      {
        await using store = await open(path)
        await new Life(store).live([3, 5, ...choices])
        const { faults, count } = await store.verifyAudit()
        expect(faults).toEqual([])
        expect(count).toBeGreaterThan(1)
      }
      const rows = rowsIn(path)
      for (const [what, tamper] of Object.entries(TAMPERINGS)) {
        const copy = aPath()
        await copyFile(path, copy)
        let isNamed: (fault: AuditFault) => boolean = () => false
        edit(copy, database => {
          isNamed = tamper(database, { rows, chance })
        })
        const { faults } = await verify(copy)
        expect(faults.some(isNamed), `${what}: ${JSON.stringify(faults)}`).toBe(true)
        await rm(copy)
      }
      for (const [what, tamper] of Object.entries(HOLD_TAMPERINGS)) {
        const copy = aPath()
        await copyFile(path, copy)
        const id = pick(openedHolds(rows), chance)
        edit(copy, database => tamper(database, id))
        const { faults } = await verify(copy)
        expect(faults.some(isOfHold(id)), `${what}: ${JSON.stringify(faults)}`).toBe(true)
        await rm(copy)
      }
    }),
    { numRuns: runs(12), endOnFailure: true },
  )
})

describe('a log', () => {
  test('of a store that is older than it begins with what happens from then on', async () => {
    const path = aPath()
    edit(path, database => {
      for (const migration of MIGRATIONS.slice(0, 2)) database.exec(migration)
      database.exec(`PRAGMA user_version = 2; PRAGMA application_id = ${0x486f6c64};
        INSERT INTO threads VALUES (1, 'th_1', 0), (2, 'th_2', 0);
        INSERT INTO runs (number, id, thread, agent, status, hold_scope, created_at, updated_at)
          VALUES (1, 'run_1', 1, 'tester', 'running', 'batch', 0, 0);
        INSERT INTO events VALUES (4194305, 0, 'run_1', 'run.started', '{}'),
          (4194306, 0, 'run_1', 'call.started', '{"call_id":"call_0","attempt":1,"digest":null}')`)
    })
    await using store = await open(path)
    expect(await store.verifyAudit()).toMatchObject({ faults: [], count: 0 })
    const claimed = await store.claim({ run_id: 'run_1', owner: 'one', ttl_ms: 1_000 })
    if (claimed?.outcome !== 'claimed') throw new TypeError('the run is busy')
    await store.append(claimed.lease, 2, { events: [anEvent('call.started')] })
    expect(await store.verifyAudit()).toMatchObject({ faults: [], count: 1 })
    edit(path, database => database.exec('DELETE FROM audit'))
    expect(await store.verifyAudit()).toMatchObject({ faults: [{ code: 'not_on_record', event_seq: 3 }] })
  })

  test('of a store that is older than the records of runs does not miss those of its runs', async () => {
    const path = aPath()
    edit(path, database => {
      for (const migration of MIGRATIONS.slice(0, 4)) database.exec(migration)
      database.exec(`PRAGMA user_version = 4; PRAGMA application_id = ${0x486f6c64};
        INSERT INTO threads (number, id, created_at, audited_after) VALUES (1, 'th_1', 0, 0);
        INSERT INTO runs (number, id, thread, agent, status, hold_scope, created_at, updated_at)
          VALUES (1, 'run_1', 1, 'tester', 'running', 'batch', 0, 0);
        INSERT INTO events VALUES (4194305, 0, 'run_1', 'run.started', '{}')`)
    })
    await using store = await open(path)
    expect(await store.verifyAudit()).toMatchObject({ faults: [], count: 0 })
    const claimed = await store.claim({ run_id: 'run_1', owner: 'one', ttl_ms: 1_000 })
    if (claimed?.outcome !== 'claimed') throw new TypeError('the run is busy')
    await store.append(claimed.lease, 1, { events: [anEvent('run.finished')] })
    expect(await store.verifyAudit()).toMatchObject({ faults: [], count: 1 })
    edit(path, database => database.exec('DELETE FROM audit'))
    expect(await store.verifyAudit()).toMatchObject({ faults: [{ code: 'not_on_record', event_seq: 2 }] })
  })

  test('does not miss the events of a thread that was pruned, once that is on record', async () => {
    const path = aPath()
    await using store = await open(path)
    await new Life(store).live([3, 4])
    edit(path, database => database.exec('DELETE FROM events'))
    expect((await store.verifyAudit()).faults[0]).toMatchObject({ code: 'event_missing', thread_id: 'th_2' })
    await store.record([{ kind: 'thread.pruned', thread_id: 'th_2', actor: 'ana', data: {} }])
    expect((await store.verifyAudit()).faults).toEqual([])
  })

  test('names the hold whose row tells of another decision than the journal', async () => {
    const path = aPath()
    await using store = await open(path)
    await new Life(store).live([5, 7])
    expect((await store.verifyAudit()).faults).toEqual([])
    edit(path, database => database.exec(`UPDATE holds SET decision = replace(decision, '"ana"', '"mallory"')`))
    expect((await store.verifyAudit()).faults).toMatchObject([
      { code: 'hold_altered', message: expect.stringContaining('hold_') },
    ])
  })

  test('that was written anew with right hashes is found by what the journals say', async () => {
    const path = aPath()
    await using store = await open(path)
    await new Life(store).live([5, 7])
    const rows = rowsIn(path)
    edit(path, database => {
      let before = '0'.repeat(64)
      for (const row of rows) {
        const record = row.record.replace('"actor":"ana"', '"actor":"mallory"')
        before = chainHash(sha256, before, record)
        put(database, { seq: row.seq, record, hash: before })
      }
    })
    expect((await store.verifyAudit()).faults).toMatchObject([
      { code: 'event_altered', message: expect.stringContaining('another actor') },
    ])
  })

  test('is verified while others write', async () => {
    await using store = await open(aPath())
    const life = new Life(store)
    await life.live(Array.from({ length: 400 }, (_, n) => n + 2))
    const writing = (async () => {
      for (let n = 0; n < 100; n += 1) await life.append(anEvent('call.started'))
    })()
    const verified = await Promise.all(Array.from({ length: 5 }, () => store.verifyAudit()))
    await writing
    expect(verified.map(({ faults }) => faults)).toEqual([[], [], [], [], []])
    expect((await store.verifyAudit()).count).toBeGreaterThan(500)
  })
})
