import { type Invocation, type Task, type TaskStatus, UNREADABLE_DETAILS } from '../../core/task/task.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { isoTimeOrNull } from './iso-times.ts'

type Row = Readonly<Record<string, unknown>>

export function asTask(row: Row): Task {
  const invocation = asInvocation(row)
  return {
    id: String(row['id']),
    status: invocation.status,
    kind: String(row['kind']),
    title: String(row['title']),
    subject: row['subject'] as string | null,
    details: read(row['details'], UNREADABLE_DETAILS) as JsonObject,
    workdir: String(row['workdir']),
    host: row['host'] as string | null,
    timeout_ms: row['timeout_ms'] as number | null,
    created_at: new Date(Number(row['created_at'])).toISOString(),
    updated_at: new Date(Number(row['updated_at'])).toISOString(),
    cancel_requested_by: row['cancel_requested_by'] as string | null,
    invocation,
  }
}

export function asInvocation(row: Row): Invocation {
  const error = row['error']
  return {
    n: Number(row['n']),
    status: row['status'] as TaskStatus,
    argv: read(row['argv'], []) as string[],
    by: String(row['asked_by']),
    surface: String(row['surface']),
    asked_at: new Date(Number(row['asked_at'])).toISOString(),
    started_at: isoTimeOrNull(row['started_at']),
    ended_at: isoTimeOrNull(row['ended_at']),
    supervisor: row['supervisor'] as string | null,
    process: row['process'] as string | null,
    exit_code: row['exit_code'] as number | null,
    signal: row['signal'] as string | null,
    error: error === null ? null : (read(error, UNREADABLE_ERROR) as Invocation['error']),
    stdout_bytes: row['stdout_bytes'] as number | null,
    stderr_bytes: row['stderr_bytes'] as number | null,
  }
}

const UNREADABLE_ERROR = { code: 'unreadable', message: 'what is kept of its end cannot be read' }

/** A row that was damaged hides no other one: the rest of it is told. */
function read(text: unknown, otherwise: Json): Json {
  try {
    return JSON.parse(String(text)) as Json
  } catch {
    return otherwise
  }
}
