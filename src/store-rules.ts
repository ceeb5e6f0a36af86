/**
 * The rules that a store applies: `holdpoint/stores`. Each is pure: a store reads rows, asks the rule, and writes rows, all
 * in one transaction. The `Store` itself and the values in it are types of `holdpoint`; `storeContract` of
 * `holdpoint/testing` is the test. An error that is thrown here is of the classes of `holdpoint`.
 *
 * @experimental
 */
export { type ClaimObjection, objectionToClaim, objectionToTaking } from './core/advancing/may-claim.ts'
export { movedOn, movedOnMeanwhile } from './core/advancing/moved-on.ts'
export { refuseSetBack } from './core/advancing/refuse-set-back.ts'
export { type AppliedRequest, applyRequest, type RequestedRun } from './core/advancing/request.ts'
export { isOver, isWoken, type RunStanding, restIfSeen } from './core/advancing/run-standing.ts'
export { type NewAuditEntry, RECORDED_KINDS } from './core/audit/audit.ts'
export { type AuditRow, EMPTY_CHAIN, type Sha256 } from './core/audit/audit-chain.ts'
export { type AuditFilter, matchesAudit, readableRecord } from './core/audit/audit-query.ts'
export type { AuditContext } from './core/audit/decision-record.ts'
export type { StoredEvent } from './core/audit/event-on-record.ts'
export {
  type CopiedPart,
  NO_COPY,
  recordedOfCopy,
  recordsOfEntries,
  recordsOfEvents,
  type UnplacedRecord,
} from './core/audit/event-records.ts'
export { givenGrantEntry } from './core/audit/given-grant.ts'
export { pendingText, sealPending, sealRecords } from './core/audit/seal-records.ts'
export {
  AuditCheck,
  type AuditNotes,
  type GoneEvent,
  type ReadRecord,
  type RecordedRows,
  type UnrecordedEvent,
} from './core/audit/standing/audit-check.ts'
export { differingGrant, type GrantFacts } from './core/audit/standing/grants-on-record.ts'
export { holdNamedBy } from './core/audit/standing/hold-on-record.ts'
export { type SessionRow, sessionOnRecord } from './core/audit/standing/sessions-on-record.ts'
export type { NamedRow } from './core/audit/standing/unreadable-rows.ts'
export { tokenProof } from './core/audit/token-proof.ts'
export { alreadyImported, conflicts, knownPart, notExported } from './core/bundle/import-refusals.ts'
export { refuseUnreadable } from './core/bundle/refuse-unreadable.ts'
export { type AmendedRun, type AppliedAmendment, applyAmendment } from './core/deciding/amendment.ts'
export { type AppliedDecision, applyDecision, type DecisionContext } from './core/deciding/apply-decision.ts'
export { isEachOnRecord } from './core/deciding/receipt.ts'
export { unknownHold } from './core/deciding/unknown-hold.ts'
export { CorruptJournalError } from './core/errors.ts'
export { HOST_LEASE_MS } from './core/fleet/fleet-host.ts'
export { FOLD_VERSION, type KeptFold } from './core/folds/kept-fold.ts'
export type { NewGrant } from './core/hold/grant.ts'
export { grantText } from './core/hold/grant.ts'
export type { NewHold } from './core/hold/hold.ts'
export type { NewEvent } from './core/journal/event.ts'
export { inputIdOf, refuseDuplicateInput } from './core/journal/input.ts'
export { ASKING_EVENTS } from './core/notice/notice-event.ts'
export { NO_TIMING, wakeTime } from './core/people/due.ts'
export { exportedBy, movedAway } from './core/run/exported.ts'
export { foundText } from './core/search/found-text.ts'
export { SEARCHED_KINDS } from './core/search/searched-kinds.ts'
export { STORE_GONE, STORE_MOVED } from './core/store-gone.ts'
export { applyTaskMove, type MovedTask, refuseIllegalMove, taskExists } from './core/task/apply-task-move.ts'
export { takenBy, WAITS_FOR_TURN } from './core/task/start-queue.ts'
export { runAbout, UNREADABLE_DETAILS } from './core/task/task.ts'
export { taskMovedOn } from './core/task/task-moved-on.ts'
export { refuseTakenName, taskName } from './core/task/task-name.ts'
export { recordOfTask, recordsOfMove } from './core/task/task-records.ts'
export { unknownTask } from './core/task/unknown-task.ts'
export { unkeptCharacter } from './core/text/kept-text.ts'
export { unreadableText } from './core/unreadable.ts'
