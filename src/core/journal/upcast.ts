import { USUAL_RESUME_MODE } from '../hold/hold.ts'
import { hashText } from '../run/repetition.ts'
import { type Counters, NO_COUNTERS } from '../run/stop-condition.ts'
import type { EventData, EventKind, JournalEvent } from './event.ts'

type Older<K extends EventKind> = Partial<EventData[K]>
type Upcast<K extends EventKind> = (data: EventData[K] & Older<K>) => EventData[K]

/** Older counters had one streak of equal calls alone. */
type OlderCounters = Partial<Counters> & { readonly same_call?: string | null; readonly same_in_row?: number }

function countersOf({ same_call, same_in_row = 0, ...counters }: OlderCounters): Counters {
  const recent_calls = same_call ? Array.from({ length: same_in_row }, () => hashText(same_call)) : []
  return { ...NO_COUNTERS, recent_calls, ...counters }
}

/** Completes events of older versions with the meaning that they had there. Rules are only added, never edited. */
const UPCASTS: { readonly [K in EventKind]?: Upcast<K> } = {
  'run.started': ({ profile, carried = null, pinned = null, ...data }) => ({
    ...data,
    profile: {
      ...profile,
      max_concurrent_calls: profile.max_concurrent_calls ?? 1,
      due: profile.due ?? { seconds: null },
      deciders: profile.deciders ?? null,
      groups: profile.groups ?? {},
      approval_answers: profile.approval_answers ?? 'tolerant',
    },
    carried: carried && { ...carried, counters: countersOf(carried.counters ?? {}) },
    pinned,
  }),
  'message.received': ({ forced_by = null, ...data }) => ({ ...data, forced_by }),
  'model.answered': ({ forced_by = null, ...data }) => ({ ...data, forced_by }),
  // Only policy asked for approval then: what was approved there is not asked about again.
  'hold.opened': ({ plugin, resume_mode, ...data }) => ({
    ...data,
    plugin: plugin === undefined && data.kind === 'approval' ? 'policy' : (plugin ?? null),
    resume_mode: resume_mode ?? USUAL_RESUME_MODE[data.kind],
  }),
  'hold.decided': ({ decision, ...data }) => ({ ...data, decision: { ...decision, grant: decision.grant ?? null } }),
  'call.gated': ({ grant_id = null, approval_id = null, ...data }) => ({ ...data, grant_id, approval_id }),
  'checkpoint.named': ({ active_ms = 0, ...data }) => ({ ...data, active_ms }),
}

/** The data of an event as this version reads it. */
export function upcast<K extends EventKind>(event: JournalEvent & { readonly kind: K }): EventData[K] {
  const data = event.data as EventData[K]
  const lift = UPCASTS[event.kind] as Upcast<K> | undefined
  return lift ? lift(data) : data
}
