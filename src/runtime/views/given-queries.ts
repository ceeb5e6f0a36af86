/** The rules of what the verbs of the face take. A status that does not exist would find nothing, and look as if there were nothing. */
import { AUDIT_KINDS } from '../../core/audit/audit.ts'
import {
  A_COUNT,
  A_FLAG,
  A_FUNCTION,
  A_LIST,
  A_NAME,
  A_SIGNAL,
  A_TEXT,
  A_TIME,
  AN_OBJECT,
  checkFields,
  checkValue,
  type FieldRule,
  oneWordOf,
  orNothing,
  type Rules,
  TEXTS,
} from '../../core/given-fields.ts'
import { HOLD_KINDS, HOLD_STATUSES } from '../../core/hold/hold.ts'
import { RUN_STATUSES } from '../../core/journal/thread.ts'
import { PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import { TASK_STATUSES } from '../../core/task/task.ts'
import { AUDIT_ORDERS, type AuditListQuery } from '../../ports/store/audit.ts'
import type { TaskQuery } from '../../ports/store/fleet/task-registry.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import { HOLD_ORDERS, type HoldQuery } from '../../ports/store/holds.ts'
import type { RunQuery } from '../../ports/store/runs.ts'
import type { AdvanceOptions } from './face-options.ts'

const PAGE = { limit: A_COUNT, after: A_TEXT }

const HOLDS: Rules<HoldQuery> = {
  ...PAGE,
  status: oneWordOf(HOLD_STATUSES),
  kind: oneWordOf(HOLD_KINDS),
  order: oneWordOf(HOLD_ORDERS),
  ...{ agent: A_TEXT, tool: A_TEXT, assignee: A_TEXT, call_id: A_TEXT, run_id: A_TEXT, thread_id: A_TEXT },
}

const RUNS: Rules<RunQuery> = {
  ...PAGE,
  status: oneWordOf(RUN_STATUSES),
  ...{ run_id: A_TEXT, thread_id: A_TEXT, parent_run_id: A_TEXT },
}

const TASKS: Rules<TaskQuery> = {
  ...PAGE,
  status: oneWordOf(TASK_STATUSES),
  ...{ ids: TEXTS, kind: A_TEXT, subject: A_TEXT },
}

const GRANTS: Rules<Omit<GrantQuery, 'valid_at'> & { readonly all?: boolean }> = {
  ...{ agent: A_TEXT, tool: A_TEXT, all: A_FLAG },
}

const AUDIT: Rules<AuditListQuery> = {
  limit: ['a whole number from 0', value => value === Number.POSITIVE_INFINITY || A_COUNT[1](value)],
  after: A_COUNT,
  ...{ decisions: A_FLAG, told: A_FLAG, agent: A_TEXT },
  kind: oneWordOf(AUDIT_KINDS),
  order: oneWordOf(AUDIT_ORDERS),
  ...{ run_id: A_TEXT, thread_id: A_TEXT, hold_id: A_TEXT, actor: A_TEXT, since: A_TIME, until: A_TIME },
}

/** Each gives back what it was given. @throws RefusedError `invalid_arguments` */
export const holdQuery = (query: HoldQuery): HoldQuery => checkFields('holds', query, HOLDS)
export const runQuery = (query: RunQuery): RunQuery => checkFields('runs', query, RUNS)
export const taskQuery = (query: TaskQuery): TaskQuery => checkFields('tasks.list', query, TASKS)
export const grantQuery = <Q extends Omit<GrantQuery, 'valid_at'>>(query: Q): Q =>
  checkFields('grants.list', query, GRANTS)
export const auditQuery = (query: AuditListQuery): AuditListQuery => checkFields('audit.list', query, AUDIT)

/** @throws RefusedError `invalid_arguments` */
export function givenIds(what: string, ids: readonly string[]): readonly string[] {
  return checkValue(what, ids, TEXTS)
}

/** An id as it is looked up; `what` it is the id of. @throws RefusedError `invalid_arguments` */
export function givenId(what: string, id: string): string {
  return checkValue(`The id of a ${what}`, id, A_TEXT)
}

const PAUSES: FieldRule = [
  `a list of ${PAUSE_KINDS.join(', ')}`,
  value => Array.isArray(value) && value.every(kind => PAUSE_KINDS.includes(kind as PauseKind)),
]

const ADVANCE: Rules<AdvanceOptions> = {
  ...{ signal: A_SIGNAL, pauseOn: PAUSES, inputProvider: A_FUNCTION, decisions: A_LIST, changes: AN_OBJECT },
  waitForModel: A_FLAG,
  ...{ lastRest: orNothing(A_TEXT), by: A_NAME, surface: A_NAME },
}

/** A word that is none, such as `pauseon`, would be passed over in silence. @throws RefusedError `invalid_arguments` */
export const advanceOptions = (options: AdvanceOptions): AdvanceOptions => checkFields('advance', options, ADVANCE)
