import type { AuditHead, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { ExplainedRun } from '../../core/audit/explain/explained-run.ts'
import type { LoadQuery, LoadReport, ReplayedRule, RuleReplay } from '../../core/load/load-report.ts'
import type { AuditListQuery, AuditProgress } from '../../ports/store/audit.ts'
import type { FeedEntry } from '../../ports/store/feed.ts'
import type { FollowRecordsOptions } from '../following/record-feed.ts'
import type { AuditedRecord, ShownTo, TurnedAway } from '../threads/audit.ts'

export type { TurnedAway } from '../threads/audit.ts'

/** P10: who did what is on record, in a log of its own that can be verified, also elsewhere. */
export interface Audit {
  /** Oldest first if `order` does not say otherwise, page by page: memory does not grow with the log. */
  list(query?: AuditListQuery): AsyncGenerator<AuditedRecord, void, undefined>

  /**
   * Gives the records after `since`, then new ones of any process and thread, until the signal is aborted, the caller
   * stops or the face is closed.
   */
  follow(options?: FollowRecordsOptions): AsyncGenerator<FeedEntry, void, undefined>

  /** The end of the log. Noted elsewhere, it proves later that nothing before it was changed. */
  head(): Promise<AuditHead>

  /** Checks all of the log in itself, with the journals, and with heads that were noted elsewhere. */
  verify(noted?: readonly AuditHead[], onProgress?: AuditProgress): Promise<AuditVerification>

  /** Records that a person or program was shown these holds; unknown ones are left out. */
  shown(holdIds: readonly string[], to: ShownTo): Promise<void>

  /** Records that a door turned a caller away before there was a decision, such as for a forged signature. */
  turnedAway(refusal: TurnedAway): Promise<void>

  /**
   * The load on people: holds and decisions between two times, by person and tool, hasty and unseen approvals, and rules
   * that would have spared some. Default: the last 7 days. @throws RefusedError `invalid_arguments`
   */
  report(query?: LoadQuery): Promise<LoadReport>

  /** A rule replayed over the newest approvals that people were asked for. @throws RefusedError `invalid_arguments` */
  replay(rule: ReplayedRule): Promise<RuleReplay>

  /** Explains what released each effect of a run, and what did not run. @throws RefusedError `unknown_run` */
  explain(runId: string): Promise<ExplainedRun>
}
