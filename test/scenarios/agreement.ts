import { existsSync } from 'node:fs'
import { type Holdpoint, openHoldpoint } from '../../src/index.ts'
import { openDatabase } from '../open-database.ts'
import { eventsOf, type Written } from './journal.ts'

interface HoldRow {
  readonly id: string
  readonly thread_id: string
  readonly run_id: string
  readonly call_id: string | null
  readonly kind: string
  readonly status: string
  readonly decision: string | null
}

interface RunRow {
  readonly id: string
  readonly thread_id: string | null
  readonly status: string
}

interface Stored {
  readonly events: readonly Written[]
  readonly holds: readonly HoldRow[]
  readonly runs: readonly RunRow[]
}

/**
 * What does not fit together in a store's file: journals, rows and the audit log tell of the same things, at any moment.
 * With `asks: 'at once'` nothing of a run goes on beside what is asked, so a question is there with its checkpoint.
 */
export async function disagreementsIn(store: string, { asks }: { asks: 'at once' | 'beside' }): Promise<string[]> {
  const stored = storedIn(store)
  // Before anything was stored there is nothing to compare.
  if (stored === null) return []
  const { events } = stored
  await using holdpoint = await openHoldpoint({ store: `sqlite:${store}` })
  const { faults } = await holdpoint.audit.verify()
  return [
    ...faults.map(({ code, message }) => `${code}: ${message}`),
    ...repeatedIn(events),
    ...falseHolds(stored),
    ...falseRuns(stored),
    ...(await halfQuestions(holdpoint, stored, asks)),
  ]
}

/** As it stands at one moment, whatever goes on; `null` if nothing is stored. The row of a run whose thread is gone names none. */
function storedIn(store: string): Stored | null {
  if (!existsSync(store)) return null
  using database = openDatabase(store, { readOnly: true })
  database.exec('BEGIN')
  const all = (sql: string) => database.prepare(sql).all() as unknown
  const events = eventsOf(database)
  if (events.length === 0) return null
  return {
    events,
    holds: all('SELECT id, thread_id, run_id, call_id, kind, status, decision FROM holds ORDER BY number') as HoldRow[],
    runs: all(
      `SELECT runs.id, threads.id AS thread_id, status FROM runs LEFT JOIN threads ON threads.number = thread`,
    ) as RunRow[],
  }
}

const ONCE: readonly (readonly [kind: string, of: string])[] = [
  ['run.finished', 'run'],
  ['call.finished', 'call_id'],
  ['hold.opened', 'hold_id'],
  ['hold.decided', 'hold_id'],
  ['hold.expired', 'hold_id'],
  ['hold.escalated', 'hold_id'],
  ['checkpoint.named', 'checkpoint_id'],
]

/** Of what may happen only once. */
function repeatedIn(events: readonly Written[]): string[] {
  return ONCE.flatMap(([kind, of]) => {
    const happened = events.filter(event => event.kind === kind)
    const keys = happened.map(
      ({ thread, run, data }) => `${thread} ${of === 'run' ? run : data[of]} ${data.level ?? ''}`,
    )
    return keys.filter((key, index) => keys.indexOf(key) < index).map(key => `${kind} twice: ${key}`)
  })
}

const BECOMES: Readonly<Record<string, string>> = {
  'hold.opened': 'open',
  'hold.decided': 'decided',
  'hold.expired': 'expired',
  'hold.withdrawn': 'withdrawn',
}

function falseHolds({ events, holds }: Stored): string[] {
  const told = new Map<string, string>()
  for (const { kind, data } of events) {
    const status = BECOMES[kind]
    if (status) told.set(data.hold_id, `${status} ${JSON.stringify(data.decision ?? null)}`)
  }
  const rows = new Map(holds.map(({ id, status, decision }) => [id, `${status} ${decision}`]))
  return [...new Set([...told.keys(), ...rows.keys()])]
    .filter(id => told.get(id) !== rows.get(id))
    .map(id => `hold ${id}: the journal says ${told.get(id)}, its row ${rows.get(id)}`)
}

function falseRuns({ events, runs }: Stored): string[] {
  const known = new Map(runs.map(({ id, thread_id, status }) => [id, `${thread_id} ${status === 'done'}`]))
  const told = new Map<string, string>()
  for (const { run, thread, kind } of events) {
    if (kind !== 'thread.forked')
      told.set(run, `${thread} ${kind === 'run.finished' || told.get(run)?.endsWith('true')}`)
  }
  return [...new Set([...told.keys(), ...known.keys()])]
    .filter(id => told.get(id) !== known.get(id))
    .map(id => `run ${id}: the journal says ${told.get(id)}, its row ${known.get(id)}`)
}

/** P4: a question, its checkpoint and its message appear together or not at all. */
async function halfQuestions(
  holdpoint: Holdpoint,
  { events, holds, runs }: Stored,
  asks: 'at once' | 'beside',
): Promise<string[]> {
  const threads = [...new Set(events.map(({ thread }) => thread))]
  const messages = (await Promise.all(threads.map(id => holdpoint.messages(id)))).flat()
  return holds
    .filter(({ status }) => status === 'open')
    .flatMap(hold => {
      const theirs = events.filter(({ run }) => run === hold.run_id)
      const at = theirs.findIndex(({ kind, data }) => kind === 'hold.opened' && data.hold_id === hold.id)
      const run = runs.find(({ id }) => id === hold.run_id)
      const whole = {
        message: messages.some(({ role, hold_id }) => role === 'agent_question' && hold_id === hold.id),
        checkpoint: theirs.slice(at).some(({ kind, data }) => kind === 'checkpoint.named' && data.reason === 'pause'),
        status: run?.status === 'waiting',
      }
      const needed = asks === 'at once' ? Object.entries(whole) : [['message', whole.message] as const]
      return needed.filter(([, isThere]) => !isThere).map(([part]) => `hold ${hold.id} (${hold.kind}) without ${part}`)
    })
}
