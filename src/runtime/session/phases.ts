/** Runs the plugins' hooks in order (docs/design/phases.md) and stages the state that they set. */
import { afterwards } from '../../async/afterwards.ts'
import { HoldpointError, messageOf } from '../../core/errors.ts'
import { plain } from '../../core/plain/plain.ts'
import type { Hooks, HookView, Plugin, StateChange } from '../../ports/agent/plugin.ts'
import { reachForeign } from '../foreign/reach-foreign.ts'
import { policyGate } from '../policy/policy-gate.ts'
import { checkHookResult } from './hook-result.ts'
import { hookView } from './hook-view.ts'
import type { RunSession } from './run-session.ts'

/** A hook failed at a point at which only ending the run is safe. */
export class PluginError extends HoldpointError {
  readonly code = 'plugin_failed'

  constructor(plugin: string, phase: keyof Hooks, cause: unknown) {
    super(`The plugin ${plugin} failed in ${phase}: ${messageOf(cause)}`, {
      hint: 'Correct the plugin, or take it out of the agent, and go on with the run.',
      cause,
    })
  }
}

type HookOf<P extends keyof Hooks> = NonNullable<Hooks[P]>
type ResultOf<P extends keyof Hooks> = NonNullable<Exclude<Awaited<ReturnType<HookOf<P>>>, void>>

export interface HookAnswer<P extends keyof Hooks> {
  readonly plugin: string
  readonly result: ResultOf<P>
}

interface HookCall<P extends keyof Hooks> {
  readonly phase: P
  readonly run: (hook: HookOf<P>, view: HookView) => ReturnType<HookOf<P>>
  /** The result in place of a hook that throws. Default: the run ends. */
  readonly onFailure?: (plugin: string, thrown: unknown) => ResultOf<P>
  readonly except?: ReadonlySet<string>
  /** Also when all is told to stop: what was done is still put in order. */
  readonly evenIfStopped?: boolean
}

/** The results of the plugins, in order. State is staged. @throws PluginError, or the signal's reason. */
export async function runPhase<P extends keyof Hooks>(
  session: RunSession,
  call: HookCall<P>,
): Promise<HookAnswer<P>[]> {
  const said: HookAnswer<P>[] = []
  for (const plugin of await pluginsWith(session, call.phase)) {
    if (call.except?.has(plugin.name)) continue
    const result = await runHook(session, plugin, call)
    if (result) said.push({ plugin: plugin.name, result })
  }
  return said
}

export async function pluginsWith(session: RunSession, phase: keyof Hooks): Promise<Plugin[]> {
  const plugins = await session.plugins()
  return plugins.filter(({ hooks }) => hooks[phase] !== undefined)
}

async function runHook<P extends keyof Hooks>(
  session: RunSession,
  plugin: Plugin,
  call: HookCall<P>,
): Promise<ResultOf<P> | null> {
  try {
    const result = await askHook(session, plugin, call)
    if (result?.setState !== undefined) session.stage('plugin.set', { plugin: plugin.name, state: result.setState })
    return result
  } catch (thrown) {
    if (!(thrown instanceof HookFailure)) throw thrown
    const { cause } = thrown
    if (call.onFailure) return call.onFailure(plugin.name, cause)
    throw new PluginError(plugin.name, call.phase, cause)
  }
}

/** What the hook itself threw, did not say in time, or said of no use. Made around the call of the hook, and nowhere else. */
class HookFailure extends Error {
  constructor(cause: unknown) {
    super('a hook failed', { cause })
  }
}

/** @throws HookFailure, or the signal's reason: nothing that belongs to others. */
async function askHook<P extends keyof Hooks>(
  session: RunSession,
  plugin: Plugin,
  { phase, run, evenIfStopped = false }: HookCall<P>,
): Promise<ResultOf<P> | null> {
  if (!evenIfStopped) session.signals.throwIfStopped()
  const view = hookView(session, plugin)
  try {
    const ask = () => run(checkedHook(plugin, phase), view)
    const said = await (isOurs(plugin) ? ask() : reachForeign(session.reach, { what: 'it', ask, evenIfStopped }))
    return said ? withState(plugin, said as ResultOf<P>) : null
  } catch (thrown) {
    // A hook that was told to stop may have words of its own for that.
    if (!evenIfStopped) session.signals.throwIfStopped()
    throw new HookFailure(thrown)
  }
}

/** The policy bounds each tool that it asks, so that a tool that is late is not a failure of the policy. */
function isOurs(plugin: Plugin): boolean {
  return plugin === policyGate
}

/** A hook whose results are checked before its phase acts on them. */
function checkedHook<P extends keyof Hooks>(plugin: Plugin, phase: P): HookOf<P> {
  const hook = plugin.hooks[phase] as (...args: unknown[]) => unknown
  const checked = (...args: unknown[]) =>
    afterwards(hook(...args), said => {
      checkHookResult(phase, said)
      return said
    })
  return checked as HookOf<P>
}

/** @throws if the state is no JSON, or the plugin declares none. */
function withState<R extends StateChange>({ initialState }: Plugin, result: R): R {
  if (result.setState === undefined) return result
  if (initialState === undefined) throw new Error('it sets state, but declares none with initialState')
  return { ...result, setState: plain(result.setState) }
}
