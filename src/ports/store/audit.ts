import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { AuditHead, AuditRow, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { AuditFilter } from '../../core/audit/audit-query.ts'

export const AUDIT_ORDERS = ['oldest', 'newest'] as const

/** Chooses records of the audit log. */
export interface AuditQuery extends AuditFilter {
  /** Default: 1000. */
  readonly limit?: number
  /** Default: `oldest`, first. */
  readonly order?: (typeof AUDIT_ORDERS)[number]
  /** The `seq` of the last record of the page before this one, in this order. */
  readonly after?: number
}

/** Chooses records, and how much is said of each. */
export interface AuditListQuery extends AuditQuery {
  /** Each also as a sentence, with what was asked and what came of it. It reads the journals. */
  readonly told?: boolean
  /** Only what concerns this agent. */
  readonly agent?: string
}

/** Called now and then with the number of rows read, of about how many. */
export type AuditProgress = (rows: number, of: number) => void

/** The audit log (P10). The record of an event is written in the transaction of that event. */
export interface AuditStore {
  /** Puts on record what follows from no event (P10). */
  record(entries: readonly NewAuditEntry[]): Promise<void>
  /** The audit log. Records that were made unreadable are included if the query asks for everything. */
  audit(query: AuditQuery): Promise<readonly AuditRow[]>
  /** The end of the log; seq 0 if it is empty. */
  auditHead(): Promise<AuditHead>
  /**
   * Checks the log in itself, with the journals, and with heads that were noted elsewhere. It reads all of the log, in
   * bounded memory, and holds up no writer.
   */
  verifyAudit(noted?: readonly AuditHead[], onProgress?: AuditProgress): Promise<AuditVerification>
}
