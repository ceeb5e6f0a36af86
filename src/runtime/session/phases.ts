/** Runs the plugins' hooks in order (docs/design/phases.md) and stages the state that they set. */
import { afterwards } from '../../async/afterwards.ts'
import { HoldpointError, messageOf } from '../../core/errors.ts'
import { A_FLAG, A_TEXT, type FieldRule } from '../../core/given-fields.ts'
import { plain } from '../../core/plain/plain.ts'
import { MODEL_OPTIONS } from '../../core/settings/model-settings.ts'
import type { Hooks, HookView, Plugin, StateChange } from '../../ports/agent/plugin.ts'
import { reachForeign } from '../foreign/reach-foreign.ts'
import { policyGate } from '../policy/policy-gate.ts'
import { type HookSession, hookView } from './hook-view.ts'

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
  /** True to call the hook even after a stop: what was done is still put in order. */
  readonly evenIfStopped?: boolean
}

/** The results of the plugins, in order. State is staged. @throws PluginError, or the signal's reason. */
export async function runPhase<P extends keyof Hooks>(
  session: HookSession,
  call: HookCall<P>,
): Promise<HookAnswer<P>[]> {
  const answers: HookAnswer<P>[] = []
  for (const plugin of await pluginsWith(session, call.phase)) {
    if (call.except?.has(plugin.name)) continue
    const result = await runHook(session, plugin, call)
    if (result) answers.push({ plugin: plugin.name, result })
  }
  return answers
}

export async function pluginsWith(session: Pick<HookSession, 'plugins'>, phase: keyof Hooks): Promise<Plugin[]> {
  const plugins = await session.plugins()
  return plugins.filter(({ hooks }) => hooks[phase] !== undefined)
}

async function runHook<P extends keyof Hooks>(
  session: HookSession,
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

/**
 * The failure of a hook itself: it threw, was late, or gave an unusable result. Made only around the call of the hook.
 */
class HookFailure extends Error {
  constructor(cause: unknown) {
    super('a hook failed', { cause })
  }
}

/** @throws HookFailure, or the signal's reason: nothing that belongs to others. */
async function askHook<P extends keyof Hooks>(
  session: HookSession,
  plugin: Plugin,
  { phase, run, evenIfStopped = false }: HookCall<P>,
): Promise<ResultOf<P> | null> {
  if (!evenIfStopped) session.signals.throwIfStopped()
  const view = hookView(session, plugin)
  try {
    const ask = () => run(checkedHook(plugin, phase), view)
    const result = await (isOurs(plugin) ? ask() : reachForeign(session.reach, { what: 'it', ask, evenIfStopped }))
    return result ? withState(plugin, result as ResultOf<P>) : null
  } catch (thrown) {
    // A hook that was stopped may throw an error of its own.
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
    afterwards(hook(...args), result => {
      checkHookResult(phase, result)
      return result
    })
  return checked as HookOf<P>
}

/** @throws if the state is no JSON, or the plugin declares none. */
function withState<R extends StateChange>({ initialState }: Plugin, result: R): R {
  if (result.setState === undefined) return result
  if (initialState === undefined) throw new Error('it sets state, but declares none with initialState')
  return { ...result, setState: plain(result.setState) }
}

/** Refuses unknown keys in a hook's result: a misspelled `block` must not let a call pass. */

/** The other modules check these further, each with its own words. */
const ANY: FieldRule = ['anything', () => true]
const setState = ANY

type Known = Readonly<Record<string, FieldRule>>

const KNOWN: Readonly<Record<keyof Hooks, Known>> = {
  runStart: { setState },
  stepStart: { setState },
  beforeInference: {
    ...Object.fromEntries(['system', 'tools', 'model', ...MODEL_OPTIONS].map(name => [name, ANY])),
    skip: A_FLAG,
    setState,
  },
  afterInference: { calls: ANY, end: A_FLAG, setState },
  beforeToolExecute: { block: A_TEXT, suspend: ANY, setResult: ANY, deny: ANY, because: A_TEXT, setState },
  afterToolExecute: { setResult: ANY, setError: ANY, setState },
  stepEnd: { continueWith: A_TEXT, setState },
  runEnd: { setState },
}

/** `undefined`, `null` and `{}` alone mean nothing. @throws TypeError: then the hook has failed. */
function checkHookResult(phase: keyof Hooks, result: unknown): void {
  if (result === undefined || result === null) return
  const known = KNOWN[phase]
  if (!isResult(result)) throw unknown(`${inWords(result)} from ${phase}, which says nothing`, known)
  for (const [key, value] of Object.entries(result)) {
    const rule = Object.hasOwn(known, key) ? known[key] : undefined
    if (!rule) throw unknown(`${JSON.stringify(key)} from ${phase}, which is not known there`, known)
    checkValue(`${key} from ${phase}`, value, rule)
  }
}

function checkValue(what: string, value: unknown, [wanted, fits]: FieldRule): void {
  if (value === undefined || fits(value)) return
  throw new TypeError(`it returned ${what} with ${inWords(value)}; it must be ${wanted}`)
}

/** An error or a map has no keys of its own, and does not mean nothing. */
function isResult(result: unknown): result is object {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false
  return Object.keys(result).length > 0 || isPlain(result)
}

/** True for objects of another realm as well. */
function isPlain(result: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(result)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function unknown(what: string, known: Known): TypeError {
  return new TypeError(`it returned ${what}; known: ${Object.keys(known).join(', ')}`)
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return value === null ? 'null' : 'an object without fields'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
