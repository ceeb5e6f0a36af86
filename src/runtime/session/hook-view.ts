/**
 * Keeps P1 and P9 from the code of plugins: a hook is shown copies, or values that cannot be changed in place. Only its
 * result has an effect.
 */

import { sentMessages } from '../../core/context/sent-messages.ts'
import type { Message } from '../../core/journal/message.ts'
import type { Thread } from '../../core/journal/thread.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { frozen } from '../../core/text/frozen.ts'
import { copyJson, type JsonObject } from '../../core/text/json.ts'
import type { DemandedApproval, HeldCall, HookView, Plugin } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { RunSession } from './run-session.ts'
import type { RunSignals } from './run-signals.ts'

/** The parts of a session that its plugins' hooks run with. */
export interface HookSession extends Pick<RunSession, 'run' | 'thread' | 'reach' | 'plugins' | 'stage'> {
  readonly signals: Pick<RunSignals, 'signal' | 'throwIfStopped'>
}

export function hookView({ run, thread, signals }: HookSession, { name, initialState }: Plugin): HookView {
  return {
    run_id: run.id,
    thread_id: thread.id,
    profile: profileCopy(run.profile),
    steps: run.steps,
    usage: { ...run.usage },
    messages: sentToModel(thread),
    calls: [...(run.step?.calls.values() ?? [])].map(call => frozen({ ...call })),
    state: copyJson(run.plugin_states.get(name) ?? initialState ?? null),
    signal: signals.signal,
  }
}

const NONE: readonly Message[] = Object.freeze([])
const SHOWN = new WeakMap<Message[], readonly Message[]>()

/** The conversation, frozen through: a change in place would reach the model, and no journal. */
export function shownMessages({ messages }: Thread): readonly Message[] {
  const before = SHOWN.get(messages) ?? NONE
  // Messages are only added, so those of a long conversation are frozen once.
  if (before.length === messages.length) return before
  const shown = Object.freeze(before.concat(messages.slice(before.length).map(frozen)))
  SHOWN.set(messages, shown)
  return shown
}

/** The conversation as models are sent it: with a summary in the place of what is folded. */
export function sentToModel(thread: Thread): readonly Message[] {
  return sentMessages(shownMessages(thread), { compactions: thread.context.compactions, repairs: [] }).messages
}

/** A call as a hook gets it: it may change what it likes. */
export function callForHook(
  call: ToolCall,
  { tool, demanded }: { readonly tool: Tool; readonly demanded?: DemandedApproval | null },
): HeldCall {
  const { arguments: written, final_arguments: final } = call
  const copies = { arguments: copyJson(written), final_arguments: copyArguments(final) }
  return {
    ...call,
    ...copies,
    tool,
    ...(demanded !== undefined && { demanded: demanded && structuredClone(demanded) }),
  }
}

const PROFILES = new WeakMap<Profile, Profile>()

/** A profile is replaced and never changed, so that one copy of each serves all hooks. */
export function profileCopy(profile: Profile): Profile {
  const copy = PROFILES.get(profile) ?? frozen(structuredClone(profile))
  PROFILES.set(profile, copy)
  return copy
}

const SCHEMAS = new WeakMap<JsonObject, JsonObject>()

/** P9: approvals bind the schema of a tool, so hooks and models get a copy. One of each serves all. */
export function schemaCopy(schema: JsonObject): JsonObject {
  const copy = SCHEMAS.get(schema) ?? frozen(copyJson(schema))
  SCHEMAS.set(schema, copy)
  return copy
}
