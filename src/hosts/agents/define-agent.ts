import { messageOf, RefusedError } from '../../core/errors.ts'
import { type DecidersSettings, readDeciders } from '../../core/people/deciders.ts'
import { type DueSettings, objectionToSelfApproval, readDue } from '../../core/people/due.ts'
import type { DecidersOptions, DueOptions } from '../../core/people/people-options.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { readPolicy } from '../../core/policy/read-policy.ts'
import { type HoldScope, PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import { objectionToStop } from '../../core/run/read-stop-condition.ts'
import type { StopCondition } from '../../core/run/stop-condition.ts'
import { type ContextOptions, type ContextSettings, readContext } from '../../core/settings/context-settings.ts'
import { INTERACTIVE_FAULTS, type InteractiveSettings, type OnIdle } from '../../core/settings/interactive-settings.ts'
import {
  MODEL_SETTINGS,
  type ModelOptions,
  type ModelWishes,
  readModelOptions,
} from '../../core/settings/model-settings.ts'
import { understood } from '../../core/settings/understood.ts'
import type { Json } from '../../core/text/json.ts'
import { faultOfModel, isAiSdkModel } from '../../models/model-shape.ts'
import type { ModelChoice } from '../../ports/agent/model.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { type AiSdkTool, toTool } from '../../tools/define/to-tool.ts'
import { faultOfListed, isObject, isTool } from '../../tools/define/tool-shape.ts'
import { faultOfPlugins } from './plugin-fault.ts'

/** A policy as a user writes it: everything may be left out. */
export interface PolicyDocument {
  readonly default?: string
  readonly tools?: Readonly<Record<string, string>>
  readonly rules?: readonly {
    readonly tool: string
    readonly match: Readonly<Record<string, string>>
    readonly policy: string
  }[]
  readonly on_never?: 'pause' | 'reject'
  readonly reads?: 'auto' | 'prompt'
  readonly strict?: boolean
  readonly mode?: 'ask' | 'observe'
}

/** The definition of an agent. All but the name may be left out: a project or a host may set it. */
export interface AgentOptions extends ModelOptions {
  /** Runs, holds and records have it. Unique among the agents of a host. */
  readonly name: string
  /** The system prompt. */
  readonly instructions?: string
  /**
   * `provider/model`, `script:FILE`, a language model of the AI SDK (specification 2, 3 or 4) or a model of your own.
   * A resume needs the definition of an object. A host may bring a model if the agent names none.
   */
  readonly model?: ModelChoice
  /** Tools by `defineTool` and names of built-in ones, or a record of AI SDK tools by name. Default: all built-in tools. */
  readonly tools?: readonly (Tool | string)[] | Readonly<Record<string, Tool | AiSdkTool>>
  /** Which calls run, ask, or never run. Default: every call asks, unless its tool says otherwise. */
  readonly policy?: PolicyDocument
  /** The first in the list that holds ends the run. Without any it ends after 200 answers for one message. */
  readonly stop?: readonly StopCondition[]
  /** Default `call` in a library, `batch` on the command line. */
  readonly holdScope?: HoldScope
  /** How many calls of a batch may run at the same time. Default: 8 in scope `call`, 1 (in listed order) in scope `batch`. */
  readonly maxConcurrentCalls?: number
  /** How long conversations are kept within the model's window. */
  readonly context?: ContextOptions
  /** Act in this order in the phases of a run, behind the run's policy. */
  readonly plugins?: readonly Plugin[]
  /** Default `approval` and `question` in a library; on the command line what its flags say. */
  readonly pauseOn?: readonly PauseKind[]
  /** How long people have to decide, if neither the hold nor its tool says it. */
  readonly due?: DueOptions
  /** The deciders, if the tool does not name any. */
  readonly deciders?: DecidersOptions
  /** Whether its process stays while it rests, when it runs in the background. Default: no. */
  readonly interactive?: boolean
  /** How many seconds that process stays without input or clients. Default: 300. 0: no limit. */
  readonly idleTimeout?: number
  /** If it was idle for that long: its run ends (default), or its process ends and a message starts the next one. */
  readonly onIdle?: OnIdle
}

/** An agent: data plus functions, no state. */
export interface AgentDefinition {
  readonly kind: 'agent'
  readonly name: string
  readonly instructions: string | null
  readonly model: ModelChoice | null
  /** The agent's settings of the model. */
  readonly modelSettings: ModelWishes
  /** `null`: all that the host has. A text names one of the host's. */
  readonly tools: readonly (Tool | string)[] | null
  readonly policy: Policy | null
  readonly stop: readonly StopCondition[]
  readonly holdScope: HoldScope | null
  readonly maxConcurrentCalls: number | null
  readonly context: ContextSettings | null
  readonly plugins: readonly Plugin[]
  readonly pauseOn: readonly PauseKind[] | null
  readonly due: DueSettings | null
  readonly deciders: DecidersSettings | null
  readonly staying: InteractiveSettings
}

const OPTIONS: Record<keyof AgentOptions, unknown> = {
  name: true,
  instructions: true,
  model: true,
  ...MODEL_SETTINGS,
  tools: true,
  policy: true,
  stop: true,
  holdScope: true,
  maxConcurrentCalls: true,
  context: true,
  plugins: true,
  pauseOn: true,
  due: true,
  deciders: true,
  interactive: true,
  idleTimeout: true,
  onIdle: true,
}

/**
 * An agent from its options, which are checked at once.
 * @throws RefusedError `invalid_agent`, `invalid_tool` or `invalid_policy` that names what is wrong.
 */
export function defineAgent(options: AgentOptions): AgentDefinition {
  checkOptions(options)
  const { name } = options
  const due = understood(options.due, readDue, problem => invalidAgent(name, problem))
  const deciders = understood(options.deciders, readDeciders, problem => invalidAgent(name, problem))
  const contradiction = objectionToSelfApproval(due, deciders)
  if (contradiction) throw invalidAgent(name, contradiction)
  return {
    kind: 'agent',
    name,
    instructions: options.instructions ?? null,
    model: options.model ?? null,
    modelSettings: modelSettingsOf(options),
    tools: options.tools === undefined ? null : toolsOf(name, options.tools),
    policy: options.policy === undefined ? null : readPolicy(options.policy as Json, `agent ${name}`),
    stop: options.stop ?? [],
    holdScope: options.holdScope ?? null,
    maxConcurrentCalls: options.maxConcurrentCalls ?? null,
    context: understood(options.context, readContext, problem => invalidAgent(name, problem)),
    plugins: options.plugins ?? [],
    pauseOn: options.pauseOn ?? null,
    due,
    deciders,
    staying: stayingOf(options),
  }
}

function stayingOf({ interactive, idleTimeout, onIdle }: AgentOptions): InteractiveSettings {
  return { interactive: interactive ?? null, idle_timeout: idleTimeout ?? null, on_idle: onIdle ?? null }
}

function checkOptions(options: AgentOptions): void {
  if (!isObject(options))
    throw invalidAgent('', 'defineAgent was given no object', "Write `defineAgent({ name: 'worker' })`.")
  const { name } = options
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) {
    throw invalidAgent(String(name), 'its name must be 1 to 64 letters, digits, dots, dashes or underscores')
  }
  const unknown = Object.keys(options).find(key => !Object.hasOwn(OPTIONS, key))
  if (unknown)
    throw invalidAgent(name, `it has an option ${JSON.stringify(unknown)}; known: ${Object.keys(OPTIONS).join(', ')}`)
  checkModel(name, options)
  checkPauseOn(name, options.pauseOn ?? [])
  checkScope(name, options.holdScope ?? 'call')
  checkConcurrency(name, options.maxConcurrentCalls ?? 1)
  checkPlugins(name, options.plugins ?? [])
  checkStop(name, options.stop ?? [])
  checkStaying(name, stayingOf(options))
}

function checkStaying(agent: string, staying: InteractiveSettings): void {
  for (const [key, value] of Object.entries(staying)) {
    const fault = value === null ? null : INTERACTIVE_FAULTS[key as keyof InteractiveSettings](value)
    if (fault) throw invalidAgent(agent, `${key} ${fault}`)
  }
}

function checkModel(agent: string, { model, reasoning }: AgentOptions): void {
  if (model === undefined || model === null) return
  const fault = faultOfModel(model)
  if (fault !== null) throw invalidAgent(agent, fault)
  if (reasoning && isAiSdkModel(model) && model.specificationVersion !== 'v4')
    throw invalidAgent(
      agent,
      `the model has the specification ${model.specificationVersion}, which knows no reasoning; say it in providerOptions`,
    )
}

function modelSettingsOf(options: AgentOptions): ModelWishes {
  try {
    return readModelOptions(options)
  } catch (thrown) {
    throw invalidAgent(options.name, messageOf(thrown))
  }
}

function checkScope(agent: string, scope: unknown): void {
  if (scope === 'call' || scope === 'batch') return
  throw invalidAgent(agent, `its hold scope is ${JSON.stringify(scope)}; possible: call, batch`)
}

function checkConcurrency(agent: string, limit: unknown): void {
  if (Number.isSafeInteger(limit) && Number(limit) > 0) return
  throw invalidAgent(agent, `maxConcurrentCalls must be a whole number from 1, not ${JSON.stringify(limit)}`)
}

function checkPlugins(agent: string, plugins: readonly Plugin[]): void {
  const fault = faultOfPlugins(plugins)
  if (fault !== null) throw invalidAgent(agent, fault)
}

function toolsOf(agent: string, tools: NonNullable<AgentOptions['tools']>): readonly (Tool | string)[] {
  if (typeof tools !== 'object' || tools === null)
    throw invalidAgent(agent, 'its tools are neither a list nor a record', 'Write `tools: [refund]` or `{ refund }`.')
  const list = isList(tools)
    ? tools
    : Object.entries(tools).map(([name, tool]) => (isTool(tool) ? tool : toTool(name, tool)))
  const fault = list.map(faultOfListed).find(problem => problem !== null)
  if (fault) throw invalidAgent(agent, fault.problem, fault.hint)
  const names = list.map(tool => (typeof tool === 'string' ? tool : tool.name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalidAgent(agent, `it has two tools named ${twice}`)
  return list
}

function isList(tools: NonNullable<AgentOptions['tools']>): tools is readonly (Tool | string)[] {
  return Array.isArray(tools)
}

function checkPauseOn(agent: string, kinds: unknown): void {
  const possible: readonly unknown[] = PAUSE_KINDS
  if (!Array.isArray(kinds)) throw invalidAgent(agent, `what it pauses on must be a list of ${PAUSE_KINDS.join(', ')}`)
  const unknown = kinds.findIndex(kind => !possible.includes(kind))
  if (unknown < 0) return
  throw invalidAgent(agent, `it pauses on ${JSON.stringify(kinds[unknown])}; possible: ${PAUSE_KINDS.join(', ')}`)
}

function checkStop(agent: string, conditions: unknown): void {
  if (!Array.isArray(conditions)) throw invalidAgent(agent, 'what it stops on must be a list of stop conditions')
  const objection = conditions.map(condition => objectionToStop(condition)).find(problem => problem !== null)
  if (objection) throw invalidAgent(agent, objection)
}

function invalidAgent(name: string, problem: string, hint: string | null = null): RefusedError {
  const advice = hint === null ? {} : { hint }
  return new RefusedError('invalid_agent', `The agent ${JSON.stringify(name)} cannot be used: ${problem}.`, advice)
}
