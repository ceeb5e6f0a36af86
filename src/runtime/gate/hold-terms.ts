import type { HoldKind, NewHold } from '../../core/hold/hold.ts'
import { type DecidersSettings, decidersOf, demandsPeople, readDeciders } from '../../core/people/deciders.ts'
import {
  type DueSettings,
  type FinalAction,
  type HoldTiming,
  mergeDue,
  type OnDue,
  timingFrom,
} from '../../core/people/due.ts'
import type { Json } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { RunSession } from '../session/run-session.ts'

interface Asking {
  readonly kind: HoldKind
  readonly tool: Tool | null
  readonly request: Partial<Omit<SuspendRequest, 'kind'>> | null
}

interface Decided extends Asking {
  readonly deciders: DecidersSettings | null
}

type Terms = HoldTiming & Pick<NewHold, 'agent' | 'destructive' | 'deciders' | 'requesters'>

/**
 * The deciders and the deadline. The most specific setting counts: hold, tool, agent, project. Without one there is no
 * deadline.
 */
export async function askedOfPeople({ run, runtime }: RunSession, asking: Asking): Promise<Terms> {
  const { kind, tool, request } = asking
  const { profile, requesters, unsigned } = run
  const now = await runtime.store.now()
  const own = dueOfRequest(request ?? {}, now)
  const settings = mergeDue([own.settings, tool?.due, profile.due])
  const timing = timingFrom(settings, profile.groups, now)
  const asked = request?.deciders ? readDeciders(request.deciders as Json) : null
  // Everybody may say what comes next in a conversation.
  const deciders = kind === 'input' ? null : (asked ?? tool?.deciders ?? profile.deciders)
  const mayPass = { ...asking, deciders }
  return {
    ...timing,
    ...(own.remind_at && { remind_at: own.remind_at }),
    on_due: timing.on_due && actionFor(mayPass, timing.on_due),
    finally: actionFor(mayPass, timing.finally),
    agent: profile.agent,
    destructive: tool?.destructive ?? false,
    deciders: decidersOf(deciders, profile.groups, profile.proven_groups),
    // If the last input has no author, the requester is unknown, even if earlier input had one.
    requesters: unsigned ? [] : [...requesters],
  }
}

/** A deadline approves nothing that people must decide (docs/design/holds.md#time, P1). */
function actionFor<A extends OnDue | FinalAction>({ kind, tool, request, deciders }: Decided, action: A): A {
  if (action !== 'auto_approve') return action
  const isHarmless = tool !== null && !tool.destructive && !request?.needsPerson && !demandsPeople(deciders)
  const mayBe = kind === 'input' || (kind === 'approval' && isHarmless)
  return mayBe ? action : ('cancel' as A)
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
