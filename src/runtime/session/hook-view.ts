/**
 * Keeps P1 and P9 from the code of plugins: a hook is shown copies, or values that cannot be changed in place. Only its
 * result has an effect.
 */
import type { Profile } from '../../core/run/profile.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { frozen } from '../../core/text/frozen.ts'
import { copyJson } from '../../core/text/json.ts'
import type { DemandedApproval, HeldCall, HookView, Plugin } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { RunSession } from './run-session.ts'

export function hookView(session: RunSession, { name, initialState }: Plugin): HookView {
  const { run, thread } = session
  return {
    run_id: run.id,
    thread_id: thread.id,
    profile: profileCopy(run.profile),
    steps: run.steps,
    usage: { ...run.usage },
    messages: thread.messages,
    calls: [...(run.step?.calls.values() ?? [])].map(call => ({ ...call })),
    state: copyJson(run.plugin_states.get(name) ?? initialState ?? null),
    signal: session.signals.signal,
  }
}

/** A call as a hook gets it: it may change what it likes. */
export function callForHook(
  call: ToolCall,
  { tool, demanded }: { readonly tool: Tool; readonly demanded?: DemandedApproval | null },
): HeldCall {
  const { arguments: written, final_arguments: final } = call
  const copies = { arguments: copyJson(written), final_arguments: copyJson(final) }
  return {
    ...call,
    ...copies,
    tool,
    ...(demanded !== undefined && { demanded: demanded && structuredClone(demanded) }),
  }
}

const PROFILES = new WeakMap<Profile, Profile>()

/** A profile is replaced and never changed, so that one copy of each serves all hooks. */
function profileCopy(profile: Profile): Profile {
  const copy = PROFILES.get(profile) ?? frozen(structuredClone(profile))
  PROFILES.set(profile, copy)
  return copy
}
