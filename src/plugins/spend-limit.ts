import { matchesGlob } from '../core/policy/glob.ts'
import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import type { Usage } from '../core/run/usage/usage.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'
import type { AfterToolExecute, BeforeToolExecute, HeldCall, HookView, Plugin } from '../ports/agent/plugin.ts'

/** The options of `spendLimit`: a limit of tokens, of cost, or both. */
export interface SpendLimitOptions {
  /** Tokens in and out, as the provider counts them. */
  readonly maxTokens?: number
  /** In the unit of `price`. */
  readonly maxCost?: number
  /** The cost of the whole usage of a run. Needed for `maxCost`. */
  readonly price?: (usage: Usage) => number
  /** Tools whose calls wait, by name or by a glob over names; default all. */
  readonly tools?: readonly string[]
}

type Unit = 'tokens' | 'cost'
type Amounts = { readonly [U in Unit]?: number }

interface Meter {
  readonly unit: Unit
  readonly allowance: number
  readonly read: (usage: Usage) => number
}

interface Overspent {
  readonly unit: Unit
  readonly spent: number
  readonly limit: number
  /** One more allowance, on top of the amount already spent: a limit below that would ask again at once. */
  readonly raised: number
}

/** The plugin's state in the journal. */
interface Granted {
  /** The limits that people have approved so far. */
  readonly limits: Amounts
  /** The calls that wait for an answer, and the limits that their approval sets. */
  readonly asked: { readonly calls: readonly string[]; readonly limits: Amounts } | null
}

/**
 * Asks a person before each tool call after a run has used more than its limit. The usage of the runs that it continues
 * counts too. When an approved call runs, the limit rises by one more allowance, and later calls do not ask. Calls of
 * one batch ask one by one, so that each can be refused. Approving several of them raises the limit once. Questions to
 * people are not held. Nothing is counted if a model reports no usage. @throws RefusedError `invalid_plugin`
 */
export function spendLimit(options: SpendLimitOptions): Plugin {
  const meters = metersOf(options)
  const tools = toolsOf(options)
  const isLimited = ({ name, tool }: HeldCall) => !tool.asks && tools.some(pattern => matchesGlob(pattern, name))
  return {
    name: 'spend_limit',
    initialState: { limits: {}, asked: null },
    hooks: {
      beforeToolExecute: (view, call) => (isLimited(call) ? ask(meters, view, call) : undefined),
      afterToolExecute: raise,
    },
  }
}

function ask(meters: readonly Meter[], view: HookView, call: HeldCall): BeforeToolExecute | undefined {
  const granted = grantedIn(view.state)
  const over = meters.map(meter => spendingOn(meter, view.usage, granted)).filter(({ spent, limit }) => spent > limit)
  if (over.length === 0) return undefined
  const because = `the run has spent ${over.map(ofLimit).join(' and ')}`
  const limits = amounts(over, 'raised')
  return {
    suspend: {
      kind: 'approval',
      message: message(call, over),
      context: { spent: amounts(over, 'spent'), limit: amounts(over, 'limit'), limit_if_approved: limits },
      resumeMode: 'replay_tool_call',
    },
    because,
    setState: { limits: { ...granted.limits }, asked: { calls: askedWith(granted, view, call), limits } },
  }
}

/** The earlier calls of the step under way, and this one. */
function askedWith({ asked }: Granted, view: HookView, { id }: HeldCall): readonly string[] {
  const inStep = new Set(view.calls.map(call => call.id))
  return [...(asked?.calls ?? []).filter(other => other !== id && inStep.has(other)), id]
}

/** The call ran, so its hold was approved: this plugin lets no asked call pass without a release. */
function raise(view: HookView, { id }: HeldCall): AfterToolExecute | undefined {
  const { limits, asked } = grantedIn(view.state)
  if (!asked?.calls.includes(id)) return undefined
  return { setState: { limits: { ...limits, ...asked.limits }, asked: null } }
}

function spendingOn({ unit, allowance, read }: Meter, usage: Usage, { limits }: Granted): Overspent {
  const spent = read(usage)
  return { unit, spent, limit: Math.max(allowance, limits[unit] ?? 0), raised: spent + allowance }
}

function message({ name }: HeldCall, over: readonly Overspent[]): string {
  const raised = over.map(({ unit, raised }) => amount(unit, raised))
  return (
    `This run is over its spend limit: it has spent ${over.map(ofLimit).join(' and ')}. ` +
    `Approve to run ${name} and to let the run spend up to ${raised.join(' and ')}; ` +
    'reject to refuse this call and leave the limit as it is.'
  )
}

function ofLimit({ unit, spent, limit }: Overspent): string {
  return `${amount(unit, spent)} (limit ${shown(limit)})`
}

function amount(unit: Unit, value: number): string {
  return unit === 'tokens' ? `${shown(value)} tokens` : `a cost of ${shown(value)}`
}

/** Without the tail of binary fractions. */
function shown(value: number): string {
  return String(Number(value.toPrecision(12)))
}

function amounts(over: readonly Overspent[], which: 'spent' | 'limit' | 'raised'): JsonObject {
  return Object.fromEntries(over.map(each => [each.unit, each[which]]))
}

function grantedIn(state: Json): Granted {
  const { limits, asked } = isJsonObject(state) ? state : {}
  if (!isJsonObject(asked)) return { limits: amountsIn(limits), asked: null }
  const calls = Array.isArray(asked['calls']) ? asked['calls'].filter(id => typeof id === 'string') : []
  return { limits: amountsIn(limits), asked: { calls, limits: amountsIn(asked['limits']) } }
}

function amountsIn(value: Json | undefined): Amounts {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.filter(([, amount]) => typeof amount === 'number'))
}

function metersOf({ maxTokens, maxCost, price }: SpendLimitOptions): readonly Meter[] {
  if (maxTokens === undefined && maxCost === undefined)
    throw toolRefusals.invalidSpendLimit('it needs maxTokens, or maxCost and price')
  if ((maxCost === undefined) !== (price === undefined))
    throw toolRefusals.invalidSpendLimit('maxCost and price need one another')
  const meters: Meter[] = []
  if (maxTokens !== undefined)
    meters.push({ unit: 'tokens', allowance: allowance('maxTokens', maxTokens), read: usage => usage.total_tokens })
  if (maxCost !== undefined && price !== undefined)
    meters.push({ unit: 'cost', allowance: allowance('maxCost', maxCost), read: usage => checked(price(usage)) })
  return meters
}

function allowance(option: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw toolRefusals.invalidSpendLimit(`${option} must be a number above 0, not ${value}`)
}

/** Nothing is over a limit by NaN, so a price that is none must not pass for a low one. */
function checked(cost: number): number {
  if (Number.isFinite(cost) && cost >= 0) return cost
  throw toolRefusals.invalidPrice(cost)
}

function toolsOf({ tools }: SpendLimitOptions): readonly string[] {
  if (tools === undefined) return ['*']
  if (Array.isArray(tools) && tools.length > 0 && tools.every(name => typeof name === 'string' && name !== ''))
    return tools
  throw toolRefusals.invalidSpendLimit('tools must be a list of names')
}
