import { type Invocation, TASK_STATUSES, type Task, UNREADABLE_DETAILS } from '../../core/task/task.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { json, number, oneOf, orNull, orNullKept, text, time } from './decode/cells.ts'
import { damageOf, decodeRow, type Row } from './decode/decode-row.ts'
import { isObject, isText, listOf, objectWith } from './decode/shapes.ts'

/** The columns that `asInvocation` reads, of invocations `i`. */
export const INVOCATION_COLUMNS = `i.n, i.status, i.argv, i.asked_by, i.surface, i.asked_at, i.started_at, i.ended_at, i.supervisor, i.process,
  i.exit_code, i.signal, i.error, i.stdout_bytes, i.stderr_bytes`
/** The columns that `asTask` reads, of tasks `t`. */
export const TASK_COLUMNS = `t.id, t.kind, t.title, t.subject, t.details, t.workdir, t.host, t.timeout_ms, t.created_at, t.updated_at,
  t.cancel_requested_by`

type TaskError = NonNullable<Invocation['error']>
const UNREADABLE_ERROR: TaskError = { code: 'unreadable', message: 'what is kept of its end cannot be read' }

const INVOCATION = {
  n: number,
  status: oneOf(TASK_STATUSES, 'failed'),
  argv: json<readonly string[]>(listOf(isText), 'a command', []),
  ...{ asked_by: text(), surface: text() },
  ...{ asked_at: time, started_at: orNull(time), ended_at: orNull(time) },
  ...{ supervisor: orNull(text()), process: orNull(text()) },
  exit_code: orNull(number),
  signal: orNull(text()),
  error: orNullKept(json<TaskError>(objectWith({ code: isText, message: isText }), 'an error', UNREADABLE_ERROR)),
  ...{ stdout_bytes: orNull(number), stderr_bytes: orNull(number) },
}

const TASK = {
  ...{ id: text(), kind: text(), title: text() },
  subject: orNull(text()),
  details: json<JsonObject>(isObject, 'details', UNREADABLE_DETAILS),
  workdir: text(),
  host: orNull(text()),
  timeout_ms: orNull(number),
  ...{ created_at: time, updated_at: time },
  cancel_requested_by: orNull(text()),
}

/** A damaged row hides no other one: its readable parts are returned. */
export function asTask(row: Row): Task {
  const cells = decodeRow({ ...TASK, ...INVOCATION }, row)
  const invocation = asInvocation(row)
  return {
    id: cells.id,
    status: invocation.status,
    kind: cells.kind,
    title: cells.title,
    subject: cells.subject,
    details: cells.details,
    workdir: cells.workdir,
    host: cells.host,
    timeout_ms: cells.timeout_ms,
    created_at: cells.created_at,
    updated_at: cells.updated_at,
    cancel_requested_by: cells.cancel_requested_by,
    invocation,
    ...damageOf(cells),
  }
}

export function asInvocation(row: Row): Invocation {
  const { asked_by: by, unreadable: _, ...cells } = decodeRow(INVOCATION, row)
  return {
    n: cells.n,
    status: cells.status,
    argv: cells.argv,
    by,
    surface: cells.surface,
    asked_at: cells.asked_at,
    started_at: cells.started_at,
    ended_at: cells.ended_at,
    supervisor: cells.supervisor,
    process: cells.process,
    exit_code: cells.exit_code,
    signal: cells.signal,
    error: cells.error,
    stdout_bytes: cells.stdout_bytes,
    stderr_bytes: cells.stderr_bytes,
  }
}
