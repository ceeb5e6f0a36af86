/** What a simulated life is about: the agent, what its model will say, who is there, what may go wrong. Plain data. */

import type { Verdict } from '../../src/core/policy/policy.ts'
import type { HoldScope, PauseKind } from '../../src/core/run/profile.ts'
import type { StopCondition } from '../../src/core/run/stop-condition.ts'
import type { JsonObject } from '../../src/core/text/json.ts'
import type { Choices } from './choices.ts'
import { choosePeople, type PeoplePlot } from './plot-people.ts'
import { TOOLS, type ToolName } from './tool-names.ts'

export const PLUGINS = [
  'counter',
  'guard',
  'giver',
  'denier',
  'thrower',
  'redactor',
  'forcer',
  'caller',
  'blocker',
  'skipper',
  'ender',
] as const
export type PluginName = (typeof PLUGINS)[number]

/** What a plugin does with a call of this `n`, so that observers know too. */
export const GUARDED = 3
export const GIVEN = 4
export const DENIED = 5
export const BLOCKED = 6
export const THROWN_AT = 7

export interface Turn {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly tokens: number
  readonly error: { readonly retryable: boolean; readonly times: number } | null
}

export interface Plot {
  readonly turns: readonly Turn[]
  readonly people: PeoplePlot
  readonly policy: {
    readonly default: Verdict
    readonly tools: Readonly<Partial<Record<ToolName, Verdict>>>
    readonly on_never: 'pause' | 'reject'
  }
  readonly pauseOn: readonly PauseKind[]
  readonly holdScope: HoldScope
  readonly maxConcurrentCalls: number
  readonly stop: readonly StopCondition[]
  readonly plugins: readonly PluginName[]
  readonly runs: number
  /** How many processes there are at the beginning. */
  readonly lives: number
  /** How often an advance has somebody at hand who says what comes next. */
  readonly inputs: number
  /** How many of each may happen. */
  readonly troubles: Troubles
  readonly bystanders: readonly Bystander[]
  /** Processes may know other versions of the tools, or lack one. */
  readonly drifts: boolean
  /** Each process can see whether the others live. Else they are on machines of their own. */
  readonly isOneMachine: boolean
}

export const BYSTANDERS = [
  'decider',
  'second_decider',
  'sender',
  'follower',
  'sweeper',
  'second_sweeper',
  'revoker',
  'assigner',
  'canceller',
] as const
export type Bystander = (typeof BYSTANDERS)[number]

export interface Troubles {
  readonly crashes: number
  readonly stalls: number
  readonly failures: number
  readonly interrupts: number
  /** How many processes begin with a clock that is off. */
  readonly skews: number
  /** Clocks that are set, forward or back, while their process lives. */
  readonly jumps: number
  /** Times in which another program has the store locked. */
  readonly locks: number
}

const VERDICTS: readonly (readonly [number, Verdict])[] = [
  [5, 'auto'],
  [6, 'prompt'],
  [1, 'never'],
]

export function choosePlot(choices: Choices): Plot {
  const cast = chooseCast(choices)
  return {
    turns: Array.from({ length: 1 + choices.below(cast === EVERYTHING ? 4 : 6) }, () => chooseTurn(choices, cast)),
    people: choosePeople(choices),
    policy: {
      default: choices.weighted(VERDICTS),
      tools: Object.fromEntries(choices.some(TOOLS, 25).map(name => [name, choices.weighted(VERDICTS)])),
      on_never: choices.pick(['pause', 'reject']),
    },
    pauseOn: choices.weighted<readonly PauseKind[]>([
      [6, ['approval', 'question']],
      [3, ['approval', 'question', 'input']],
      [1, ['approval']],
      [1, ['input']],
      [1, []],
    ]),
    holdScope: choices.pick(['call', 'batch']),
    maxConcurrentCalls: choices.pick([1, 2, 3, 4]),
    stop: [...chooseStop(choices), { type: 'max_rounds', rounds: 12 }],
    plugins: choices.some(PLUGINS.slice(0, 8), 30).concat(choices.some(PLUGINS.slice(8), 6)),
    runs: choices.weighted([
      [4, 1],
      [1, 2],
    ]),
    lives: choices.pick([1, 2, 3]),
    inputs: choices.weighted([
      [4, 0],
      [1, 1],
      [1, 2],
    ]),
    troubles: chooseTroubles(choices),
    bystanders: [...choices.some(BYSTANDERS.slice(0, 8), 55), ...choices.some(BYSTANDERS.slice(8), 20)],
    drifts: choices.chance(20),
    isOneMachine: choices.chance(60),
  }
}

function chooseTroubles(choices: Choices): Troubles {
  const some = (most: number, percent: number) => (choices.chance(percent) ? 1 + choices.below(most) : 0)
  return {
    crashes: some(4, 45),
    stalls: some(3, 30),
    failures: some(3, 20),
    interrupts: some(3, 25),
    skews: some(2, 25),
    jumps: some(3, 20),
    locks: some(2, 15),
  }
}

type Weighted = readonly (readonly [weight: number, name: string])[]

const EVERYTHING: Weighted = [
  ...TOOLS.map(tool => [4, tool] as const),
  [3, 'ask_human'],
  [4, 'request_approval'],
  [1, 'nobody'],
  [1, 'toString'],
]

/** What may run without more ado. */
const RUNNING: readonly ToolName[] = ['plain', 'again', 'slow', 'picky', 'failing', 'aborting']

/** What the model calls: of everything something, or time and again the same, so that what was said of it counts again. */
function chooseCast(choices: Choices): Weighted {
  const few: Weighted = [
    [2, choices.pick(RUNNING)],
    [1, choices.pick(TOOLS)],
  ]
  const inWords: Weighted = [
    [3, 'request_approval'],
    [3, 'demanding'],
  ]
  return choices.weighted([
    [4, EVERYTHING],
    [4, few],
    [2, inWords],
  ])
}

function chooseTurn(choices: Choices, cast: Weighted): Turn {
  const calls = choices.list(4, index => chooseCall(choices, cast, index))
  return {
    text: choices.weighted([
      [3, 'I say.'],
      [2, ''],
      [1, 'stop here'],
      [1, ' '],
    ]),
    calls,
    tokens: choices.pick([10, 0, 50]),
    error: choices.chance(10) ? { retryable: choices.pick([true, true, false]), times: 1 + choices.below(2) } : null,
  }
}

function chooseCall(choices: Choices, cast: Weighted, index: number): Turn['calls'][number] {
  const name = choices.weighted(cast)
  const n = choices.weighted([
    [4, 1],
    [3, 2],
    [2, GUARDED],
    [1, GIVEN],
    [1, DENIED],
    [1, BLOCKED],
    [1, THROWN_AT],
  ])
  const broken = choices.chance(5) ? choices.pick(['{"n":"x"}', '{broken', '', '[]', 'null']) : null
  const args = ASKING[name]?.(n) ?? { n }
  return {
    id: choices.pick([`call_${index}`, 'call_0', 'call_1', '']),
    name,
    arguments: broken ?? JSON.stringify(args),
  }
}

/** What the tools that ask are called with. */
const ASKING: Readonly<Record<string, (n: number) => JsonObject>> = {
  ask_human: () => ({ question: 'Which?' }),
  request_approval: n => ({ action: 'demanding', details: { n }, reason: 'It is needed.' }),
}

function chooseStop(choices: Choices): StopCondition[] {
  const all: StopCondition[] = [
    { type: 'max_rounds', rounds: 1 + choices.below(3) },
    { type: 'timeout', seconds: choices.pick([20, 5, 60]) },
    { type: 'token_budget', max_total: choices.pick([60, 20, 100]) },
    { type: 'consecutive_errors', max: 1 + choices.below(2) },
    { type: 'stop_on_tool', tool_name: choices.pick(TOOLS) },
    { type: 'content_match', pattern: '^stop' },
    { type: 'loop_detection', window: 2 + choices.below(2) },
  ]
  return choices.some(all, 12)
}
