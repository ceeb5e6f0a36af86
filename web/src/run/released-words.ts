import type { Documents } from '../api/documents.ts'
import { clockTime } from '../parts/time.tsx'

type Call = Documents['ExplainedRun']['calls'][number]
type Effect = Call['effects'][number]
type Released = NonNullable<Effect['released']>

type Teller<B extends Released['by']> = (released: Extract<Released, { by: B }>) => string

const TELLERS: { readonly [B in Released['by']]: Teller<B> } = {
  decision: ({ decided_by, surface, at, reason, override, on_due }) =>
    `${on_due === null ? `${decided_by} released it via ${surface}` : 'Nobody decided in time, and its deadline released it'} at ${clockTime(at)}${reason === null ? '' : `: ${reason}`}${override ? '. This overrode a policy that says never' : ''}.`,
  policy: ({ rule }) => `Policy let it pass: ${rule}.`,
  grant: ({ grant_id, rule }) => `A standing approval let it pass: ${grant_id} (${rule}).`,
  approval: ({ approved }) =>
    approved === null
      ? 'An approval that the agent asked for covers it.'
      : `${approved.decided_by} approved what the agent asked for, and that covers it.`,
  repeat: ({ attempt }) => `It was cut off, and may be repeated without harm: this is attempt ${attempt}.`,
}

/** Why a tool was allowed to run, as a sentence. */
export function releasedText({ released, copied, imported }: Effect): string {
  if (copied) return 'It ran in the thread that this one was forked from.'
  if (imported !== null) return 'It ran in another store, and is on record there.'
  if (released === null) return 'Nothing on record released it.'
  return (TELLERS[released.by] as (by: Released) => string)(released)
}
