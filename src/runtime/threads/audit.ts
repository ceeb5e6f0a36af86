/** P10: who did what is on record, in a log of its own that can be verified, also elsewhere. */
import { NEVER } from '../../async/on-abort.ts'
import type { AuditRecord } from '../../core/audit/audit.ts'
import type { AuditHead, AuditVerification } from '../../core/audit/audit-chain.ts'
import { readableRecord } from '../../core/audit/audit-query.ts'
import type { ExplainedRun } from '../../core/audit/explain/explained-run.ts'
import { exportLine } from '../../core/audit/export-line.ts'
import { shortText } from '../../core/audit/short-text.ts'
import type { ToldRecord } from '../../core/audit/tell-record.ts'
import type { LoadQuery, LoadReport, ReplayedRule, RuleReplay } from '../../core/load/load-report.ts'
import { unknownRun } from '../../core/run/unknown-run.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { AuditListQuery, AuditProgress, AuditQuery } from '../../ports/store/audit.ts'
import type { FeedEntry } from '../../ports/store/feed.ts'
import { type FollowRecordsOptions, RecordFeed } from '../following/record-feed.ts'
import { auditQuery, givenId } from '../views/given-queries.ts'

/** One record of the audit log. */
export interface AuditedRecord {
  readonly seq: number
  /** `null` if it was made unreadable. */
  readonly record: AuditRecord | null
  readonly hash: string
  /** The export form: the record as JSON, with its hash at the end. A file of such lines can be verified. */
  readonly line: string
  /** The record as a sentence, if the query asked for it. */
  readonly told?: ToldRecord
}

/** The person who was shown a hold, and how. */
export interface ShownTo {
  readonly to: string
  readonly surface: string
  /** Whether they could see all of what they were asked about. */
  readonly inFull: boolean
}

/** A caller whom a door of a server turned away. */
export interface TurnedAway {
  /** The door. */
  readonly surface: string
  /** Why, for programs. */
  readonly code: string
  /** The name that it claims; left out if it claims none that could be believed. */
  readonly actor?: string
  /** How many like this one were left out of the log since the last record. Default: 0. */
  readonly unrecorded?: number
}

const PAGE = 500

export class RuntimeAudit {
  readonly #runtime: Runtime
  readonly #feed: RecordFeed
  readonly #closed: AbortSignal

  /** `closed` ends all who follow. */
  constructor(runtime: Runtime, closed: AbortSignal = NEVER) {
    this.#runtime = runtime
    this.#feed = new RecordFeed(runtime.store, runtime.clock)
    this.#closed = closed
  }

  follow(options: FollowRecordsOptions = {}): AsyncGenerator<FeedEntry, void, undefined> {
    const signal = options?.signal ? AbortSignal.any([options.signal, this.#closed]) : this.#closed
    return this.#feed.follow({ ...options, signal })
  }

  async *list(query: AuditListQuery = {}): AsyncGenerator<AuditedRecord, void, undefined> {
    const { limit = Number.POSITIVE_INFINITY, after, told, agent, ...filter } = auditQuery(query)
    for (let seq = after, left = limit; left > 0; ) {
      const size = Math.min(PAGE, left)
      const page = await this.#page({ ...filter, ...(seq !== undefined && { after: seq }), limit: size })
      const rows = told || agent !== undefined ? await this.#tell(page) : page
      const fitting = agent === undefined ? rows : rows.filter(row => row.told?.agent === agent)
      yield* fitting
      if (page.length < size) return
      left -= fitting.length
      seq = page.at(-1)?.seq ?? seq
    }
  }

  // Loaded when it is asked for: no run needs it.
  async #tell(page: readonly AuditedRecord[]): Promise<AuditedRecord[]> {
    const { tellRecords } = await import('./tell-records.ts')
    return tellRecords(this.#runtime.store, page)
  }

  async #page(query: AuditQuery): Promise<AuditedRecord[]> {
    const rows = await this.#runtime.store.audit(query)
    return rows.map(row => ({ seq: row.seq, record: readableRecord(row), hash: row.hash, line: exportLine(row) }))
  }

  async head(): Promise<AuditHead> {
    return this.#runtime.store.auditHead()
  }

  async verify(noted: readonly AuditHead[] = [], onProgress?: AuditProgress): Promise<AuditVerification> {
    return this.#runtime.store.verifyAudit(noted, onProgress)
  }

  async shown(holdIds: readonly string[], { to, surface, inFull }: ShownTo): Promise<void> {
    const holds = await Promise.all(holdIds.map(id => this.#runtime.store.hold(id)))
    const entries = holds
      .filter(hold => hold !== null)
      .map(({ id: hold_id, run_id, thread_id, call_id }) => ({
        ...{ kind: 'hold.shown' as const, hold_id, run_id, thread_id, call_id },
        ...{ actor: to, surface, data: { in_full: inFull } },
      }))
    await this.#runtime.store.record(entries)
  }

  async turnedAway({ surface, code, actor, unrecorded = 0 }: TurnedAway): Promise<void> {
    const data = { code, ...(unrecorded > 0 && { unrecorded }) }
    const entry = { kind: 'decision.refused' as const, surface, data }
    await this.#runtime.store.record([{ ...entry, ...(actor !== undefined && { actor: shortText(actor) }) }])
  }

  // Loaded when it is asked for: no run needs it.
  async report(query: LoadQuery = {}): Promise<LoadReport> {
    const { readLoad } = await import('../load/read-load.ts')
    return readLoad(this.#runtime, query)
  }

  async replay(rule: ReplayedRule): Promise<RuleReplay> {
    const { replay } = await import('../load/read-load.ts')
    return replay(this.#runtime, rule)
  }

  async explain(runId: string): Promise<ExplainedRun> {
    const { explainRun } = await import('../../core/audit/explain/explain-run.ts')
    const row = await this.#runtime.store.run(givenId('run', runId))
    const imports = row ? await this.#runtime.store.bundles.imports(row.thread_id) : []
    const explained = row && explainRun(runId, await this.#runtime.store.journal(row.thread_id), imports)
    if (!explained) throw unknownRun(runId)
    return explained
  }
}
