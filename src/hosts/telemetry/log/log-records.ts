import { eachChange } from '../../../async/each-change.ts'
import type { AuditKind, AuditRecord } from '../../../core/audit/audit.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AuditStore } from '../../../ports/store/audit.ts'
import type { Feed } from '../../../ports/store/feed.ts'
import type { JsonLog } from './json-log.ts'

/** The acts of people and of time, which no run tells of when they happen. */
export const ACTS: readonly AuditKind[] = [
  ...(['hold.decided', 'hold.voted', 'hold.unclear', 'hold.assigned', 'cancel.requested'] as const),
  ...([
    'decision.refused',
    'grant.given',
    'grant.revoked',
    'access.added',
    'access.revoked',
    'place.trusted',
    'thread.pruned',
  ] as const),
  ...(['session.opened', 'session.ended'] as const),
]

/** Codes and counts of a record. Words of people in one, such as a reason, stay in the store. */
const TOLD: readonly string[] = ['verdict', 'code', 'have', 'need', 'assignee']

const PAGE = 500
const SAFETY_MS = 10_000

export interface RecordsDeps {
  readonly log: JsonLog
  readonly store: Pick<Feed, 'feed' | 'watchFeed'> & Pick<AuditStore, 'auditHead'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Tells of each act in any process that uses the store, from now until the signal is aborted. */
export async function logRecords({ log, store, clock, signal }: RecordsDeps): Promise<void> {
  const told = new TellRecords(log, store, (await store.auditHead()).seq)
  const watches = [(onChange: () => void) => store.watchFeed(onChange)]
  // A store that does not answer is told of by the worker, and to each client.
  for await (const _ of eachChange({ clock, watches, signal, safetyMs: SAFETY_MS })) await told.more().catch(() => {})
}

class TellRecords {
  readonly #log: JsonLog
  readonly #store: RecordsDeps['store']
  #after: number

  constructor(log: JsonLog, store: RecordsDeps['store'], after: number) {
    this.#log = log
    this.#store = store
    this.#after = after
  }

  async more(): Promise<void> {
    const page = await this.#store.feed(this.#after, PAGE)
    const acts = page.flatMap(({ record }) => (record && ACTS.includes(record.kind) ? [record] : []))
    for (const record of acts) this.#log.write('info', record.kind, fields(record))
    this.#after = page.at(-1)?.seq ?? this.#after
    if (page.length === PAGE) await this.more()
  }
}

function fields({ seq, thread_id, run_id, hold_id, call_id, actor, surface, data }: AuditRecord): JsonObject {
  const about = Object.entries({ thread_id, run_id, hold_id, call_id }).filter(([, id]) => id !== null)
  const told = TOLD.flatMap(name => (data[name] === undefined ? [] : [[name, data[name]] as const]))
  return { ...Object.fromEntries(about), by: actor, surface, ...Object.fromEntries(told), record: seq }
}
