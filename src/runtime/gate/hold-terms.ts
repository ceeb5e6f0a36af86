import { objectionToTime } from '../../core/deadlines/objection-to-time.ts'
import type { HoldKind, NewHold } from '../../core/hold/hold.ts'
import { decidersOf, readDeciders } from '../../core/people/deciders.ts'
import { type DueSettings, type HoldTiming, mayApproveItself, mergeDue, timingFrom } from '../../core/people/due.ts'
import type { Json } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { GateSession } from './gate-session.ts'
import { taskOf } from './hold-act.ts'

interface Asking {
  readonly kind: HoldKind
  readonly tool: Tool | null
  readonly request: Partial<Omit<SuspendRequest, 'kind'>> | null
}

type Terms = HoldTiming & Pick<NewHold, 'agent' | 'task' | 'destructive' | 'deciders' | 'requesters' | 'not_by_time'>

/**
 * The deciders and the deadline. The most specific setting counts: hold, tool, agent, project. Without one there is no
 * deadline.
 */
export async function askedOfPeople({ run, runtime }: GateSession, asking: Asking): Promise<Terms> {
  const { kind, tool, request } = asking
  const { profile, requesters, unsigned } = run
  const now = await runtime.store.now()
  const own = dueOfRequest(request ?? {}, now)
  const settings = mergeDue([own.settings, tool?.due, profile.due])
  const timing = timingFrom(settings, profile.groups, now)
  const asked = request?.deciders ? readDeciders(request.deciders as Json) : null
  // Any person may continue a conversation.
  const deciders = kind === 'input' ? null : (asked ?? tool?.deciders ?? profile.deciders)
  const objection = objectionToTime({ kind, tool, needsPerson: request?.needsPerson ?? false, deciders })
  const not_by_time = mayApproveItself(timing) ? objection : null
  return {
    ...timing,
    ...(own.remind_at && { remind_at: own.remind_at }),
    ...(not_by_time !== null && { ...withoutApproval(timing), not_by_time }),
    ...taskOf(runtime, run),
    agent: profile.agent,
    destructive: tool?.destructive ?? false,
    deciders: decidersOf(deciders, profile.groups, profile.proven_groups),
    // If the last input has no author, the requester is unknown, even if earlier input had one.
    requesters: unsigned ? [] : [...requesters],
  }
}

/** A deadline approves nothing that people must decide (P1). */
function withoutApproval({ on_due, finally: last }: HoldTiming): Pick<HoldTiming, 'on_due' | 'finally'> {
  return {
    on_due: on_due === 'auto_approve' ? 'cancel' : on_due,
    finally: last === 'auto_approve' ? 'cancel' : last,
  }
}

/** A hold names times, everything else durations from its opening. */
function dueOfRequest(
  request: Partial<Omit<SuspendRequest, 'kind'>>,
  now: number,
): { settings: DueSettings; remind_at: readonly string[] | null } {
  const { dueAt, onDue, remindAt, assignee, escalation } = request
  const settings: DueSettings = {
    ...(dueAt !== undefined && { seconds: dueAt === null ? null : (Date.parse(dueAt) - now) / 1000 }),
    ...(onDue !== undefined && { on_due: onDue }),
    ...(assignee !== undefined && { assignee }),
    ...(escalation !== undefined && { escalation }),
    ...(request.finally !== undefined && { finally: request.finally }),
  }
  const reminders = remindAt?.map(time => new Date(time).toISOString()).toSorted()
  return { settings, remind_at: reminders ?? null }
}
