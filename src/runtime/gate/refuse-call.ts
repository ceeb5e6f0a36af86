/**
 * A refused call does not run, and its model continues. A model that insists is stopped: a person looks at the call, or
 * the run ends (docs/design/runs.md#a-model-that-insists).
 */
import type { RefusedBefore } from '../../core/hold/hold.ts'
import { ENOUGH_REFUSALS, timesRefused } from '../../core/run/insistence.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { POLICY_GATE, takesPerson } from '../policy/policy-gate.ts'
import { rulingOn } from '../policy/ruling.ts'
import type { Gated, GateSession } from './gate-session.ts'
import { deny } from './hold-call.ts'
import { holdInLimit } from './hold-in-limit.ts'

interface Refused extends Gated {
  readonly error: CallError
  /** True if an approval would let it pass all the same. */
  readonly mayPass: boolean
}

/** Refuses a call at the gate. The end of the run, if its model insists and no person can be asked. */
export async function refuseCall(session: GateSession, refused: Refused): Promise<Termination | null> {
  const { call, error } = refused
  const times = timesRefused(session.run.counters.refused_in_row, call, error.code)
  // A call that a person released, and that may not start after all, was looked at just now.
  if (call.status !== 'new' || times < ENOUGH_REFUSALS) {
    deny(session, call, error)
    return null
  }
  return session.pausesFor('approval') ? holdInsisted(session, refused, times) : endInsisted(session, refused, times)
}

async function holdInsisted(session: GateSession, refused: Refused, times: number): Promise<Termination | null> {
  const { call, tool, error, mayPass } = refused
  const { profile } = session.run
  const ruling = await rulingOn(profile, tool, call.final_arguments as JsonObject)
  const isNever = ruling.verdict === 'never'
  const isForGood = !mayPass || (isNever && profile.policy.on_never === 'reject')
  const before = { times, because: error.message, ...(isForGood && { for_good: true as const }) }
  return holdInLimit(session, {
    ...{ call, tool, refused: before },
    request: {
      kind: 'approval',
      message: insists(call, before),
      needsPerson: true,
      overridesNever: isNever && !isForGood,
    },
    why: {
      because: takesPerson(ruling) && !isForGood ? ruling.rule : `it insists: it was refused ${times} times in a row`,
      plugin: POLICY_GATE,
      ...(ruling.leads_to !== null && { leads_to: ruling.leads_to }),
    },
  })
}

function insists({ name }: ToolCall, { times, because, for_good }: RefusedBefore): string {
  const pass = for_good
    ? 'What refused it would refuse it again, so it cannot be approved.'
    : 'Approve it, and it runs once.'
  return (
    `It insists: the agent was refused this call of ${name} ${times} times in a row, and makes it again. ` +
    `The refusal: ${because} ${pass} Reject it, with a reason for the agent, and the run goes on without it; ` +
    'or cancel the run.'
  )
}

/** If a message waits, the run continues: the message restarts the count. */
function endInsisted(session: GateSession, { call, error }: Refused, times: number): Termination | null {
  if (session.run.queue.length > 0) {
    deny(session, call, error)
    return null
  }
  // If another process writes meanwhile, it may be a message.
  if (session.underway.ids.size === 0) session.beginRest()
  deny(session, call, error)
  const detail = `the model insists on a call of ${call.name} that was refused ${times} times in a row: ${error.message}`
  return { type: 'stopped', code: 'insisted', detail }
}
