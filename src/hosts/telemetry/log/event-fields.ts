import type { DueEvent } from '../../../core/deadlines/next-due.ts'
import type { EventData, EventKind, JournalEvent } from '../../../core/journal/event.ts'
import { modelName } from '../../../core/run/profile.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { modelLabel } from '../model-label.ts'

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

export function eventFields({ kind, data, seq, thread_id, run_id }: JournalEvent): JsonObject {
  return { thread_id, run_id, seq, ...(FIELDS[kind] as Fields<EventKind>)(data as never) }
}

/** As the worker tells of it, which knows no place in the journal. */
export function dueFields({ kind, data, run_id }: DueEvent): JsonObject {
  return { run_id, ...(FIELDS[kind] as Fields<EventKind>)(data as never) }
}

function decided({ hold_id, call_id, decision }: Omit<EventData['hold.decided'], 'status'>): JsonObject {
  const { verdict, decided_by: by, surface } = decision
  return { hold_id, call_id, verdict, by, surface }
}
