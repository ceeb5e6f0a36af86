import type { JournalEvent } from '../../../core/journal/event.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { WorkEvent } from '../../../runtime/worker/work-options.ts'
import { dueFields, eventFields } from './event-fields.ts'
import type { JsonLog, LogLevel } from './json-log.ts'
import { errorFields } from './log-error.ts'
import { ACTS } from './log-records.ts'

/** The worker tells of these when it fires them, and a server of the acts of people: a run only reads of both later. */
const TOLD_ELSEWHERE: readonly string[] = [...ACTS, 'hold.reminded', 'hold.escalated', 'hold.expired']

/** An event of a run that this process advances, or starts. Of what is told in pieces, only that a model failed. */
export function logEvent(log: JsonLog, event: JournalEvent | Ephemeral): void {
  if (!('ephemeral' in event)) {
    if (!TOLD_ELSEWHERE.includes(event.kind)) log.write('info', event.kind, eventFields(event))
  } else if (event.kind === 'model.retrying') {
    const { thread_id, run_id, data } = event
    const { attempt, wait_ms, code } = data
    log.write('warn', event.kind, { thread_id, run_id, attempt, wait_ms, code })
  }
}

/** An event of the worker in this process. */
export function logWork(log: JsonLog, event: WorkEvent): void {
  log.write(levelOf(event), event.kind, workFields(event))
}

const FAILURES: readonly WorkEvent['kind'][] = ['run.failed', 'due.failed', 'work.failed']

function levelOf({ kind }: WorkEvent): LogLevel {
  return FAILURES.includes(kind) ? 'error' : 'info'
}

function workFields(event: WorkEvent): JsonObject {
  switch (event.kind) {
    case 'worker.started':
      return { owner: event.owner, concurrency: event.concurrency }
    case 'worker.stopped':
      return { owner: event.owner }
    case 'run.taken':
      return { thread_id: event.thread_id, run_id: event.run_id }
    case 'run.advanced': {
      const { status, termination, holds, steps } = event.view
      const waits_for = holds.map(({ id }) => id)
      const { thread_id, run_id } = event
      return { thread_id, run_id, status, termination: termination?.type ?? null, waits_for, steps }
    }
    case 'run.failed':
      return {
        ...{ thread_id: event.thread_id, run_id: event.run_id },
        ...errorFields(event.error),
        retry_at: event.retry_at,
      }
    case 'due.failed':
      return { run_id: event.run_id, hold_id: event.hold_id, ...errorFields(event.error), retry_at: event.retry_at }
    case 'work.failed':
      return { ...errorFields(event.error), retry_at: event.retry_at }
    default:
      return dueFields(event)
  }
}
