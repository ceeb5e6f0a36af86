import type { DueEvent } from '../../../core/deadlines/next-due.ts'
import type { EventData, EventKind, JournalEvent } from '../../../core/journal/event.ts'
import { modelName } from '../../../core/run/profile.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { WorkEvent } from '../../../runtime/worker/work-options.ts'
import { modelLabel } from '../model-label.ts'
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

type Fields<K extends EventKind> = (data: EventData[K]) => JsonObject

/** The fields of each event in a log: ids, names, codes and counts. A new kind does not compile until it has its row. */
const FIELDS: { readonly [K in EventKind]: Fields<K> } = {
  'thread.forked': ({ thread_id }) => ({ from_thread_id: thread_id }),
  'run.started': ({ profile }) => ({ agent: profile.agent, model: modelLabel(modelName(profile) ?? 'custom') }),
  'run.configured': ({ changes, by = null }) => ({ by, settings: Object.keys(changes) }),
  'message.received': ({ author }) => ({ author }),
  'message.queued': ({ author, supersede }) => ({ author, supersede }),
  'message.delivered': ({ count }) => ({ count }),
  'cancel.requested': ({ by }) => ({ by }),
  'phase.passed': ({ phase }) => ({ phase }),
  'plugin.set': ({ plugin }) => ({ plugin }),
  'step.started': ({ step }) => ({ step }),
  'model.answered': ({ model, finish_reason, usage, calls }) => ({
    ...{ model: modelLabel(model), finish_reason, calls: calls.map(({ id }) => id) },
    ...{ input_tokens: usage.input_tokens, output_tokens: usage.output_tokens },
  }),
  'answer.asked_again': ({ because }) => ({ because }),
  'model.unavailable': ({ code, failures, retry_at }) => ({ code, failures, retry_at }),
  'model.switched': ({ from, to, code }) => ({ from, to, code }),
  'compaction.requested': ({ by }) => ({ by }),
  'context.compacted': ({ what, tokens_before, tokens_after }) => ({ what, tokens_before, tokens_after }),
  'context.repaired': ({ provider, because, label }) => ({ provider, because, label }),
  'call.gated': ({ call_id }) => ({ call_id }),
  'call.started': ({ call_id, attempt }) => ({ call_id, attempt }),
  'call.unclaimed': ({ call_id }) => ({ call_id }),
  'call.cut_off': ({ call_id, because }) => ({ call_id, because }),
  'call.finished': ({ call_id, status, error }) => ({ call_id, status, code: error?.code ?? null }),
  'hold.opened': ({ hold_id, call_id, kind }) => ({ hold_id, call_id, kind }),
  'hold.decided': data => decided(data),
  'hold.voted': ({ have, need, ...data }) => ({ ...decided(data), have, need }),
  'hold.unclear': ({ hold_id, call_id, by, surface }) => ({ hold_id, call_id, by, surface }),
  'hold.assigned': ({ hold_id, call_id, assignee, by, surface }) => ({ hold_id, call_id, assignee, by, surface }),
  'hold.reminded': ({ hold_id, call_id, number, assignee }) => ({ hold_id, call_id, number, assignee }),
  'hold.escalated': ({ hold_id, call_id, level, assignee, due_at }) => ({ hold_id, call_id, level, assignee, due_at }),
  'hold.expired': data => ({ ...decided(data), on_due: data.on_due }),
  'hold.withdrawn': ({ hold_id, call_id }) => ({ hold_id, call_id }),
  'step.ended': ({ step }) => ({ step }),
  'checkpoint.named': ({ reason, active_ms }) => ({ reason, active_ms }),
  'run.ending': ({ termination }) => ({ termination: termination.type }),
  'run.finished': ({ termination }) => ({
    termination: termination.type,
    ...('code' in termination && { code: termination.code }),
  }),
  note: () => ({}),
}

function eventFields({ kind, data, seq, thread_id, run_id }: JournalEvent): JsonObject {
  return { thread_id, run_id, seq, ...(FIELDS[kind] as Fields<EventKind>)(data as never) }
}

/** As the worker tells of it, which knows no place in the journal. */
function dueFields({ kind, data, run_id }: DueEvent): JsonObject {
  return { run_id, ...(FIELDS[kind] as Fields<EventKind>)(data as never) }
}

function decided({ hold_id, call_id, decision }: Omit<EventData['hold.decided'], 'status'>): JsonObject {
  const { verdict, decided_by: by, surface } = decision
  return { hold_id, call_id, verdict, by, surface }
}
