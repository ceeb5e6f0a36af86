/** The list of steps that an agent keeps for itself. It is no event of its own: the newest call of `plan` is the plan. */
import type { Message } from '../journal/message.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import { visibleLine } from '../text/visible-text.ts'

/** The tool by which an agent writes its plan. */
export const PLAN_TOOL = 'plan'

export const STEP_STATES = ['pending', 'in_progress', 'done', 'dropped'] as const
export type StepState = (typeof STEP_STATES)[number]

/** One step of a plan. */
export interface PlanStep {
  readonly step: string
  readonly state: StepState
}

/** The steps of a plan, in the order in which the agent means to take them. */
export type Plan = readonly PlanStep[]

/** The newest plan of a conversation; `null` if its agent has written none. A call that failed or was refused counts for nothing. */
export function newestPlan(messages: readonly Message[]): Plan | null {
  const refused = new Set(
    messages.flatMap(message => (message.role === 'tool' && message.is_error ? [message.tool_call_id] : [])),
  )
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue
    const plans = message.tool_calls.flatMap(({ id, name, arguments: args }) =>
      name === PLAN_TOOL && !refused.has(id) ? [planIn(args)] : [],
    )
    const plan = plans.findLast(each => each !== null)
    if (plan) return plan
  }
  return null
}

/** The plan in the arguments of a call; `null` if they are none, as of another tool of that name. */
export function planIn(args: Json): Plan | null {
  const steps = isJsonObject(args) ? args['steps'] : null
  return Array.isArray(steps) && steps.every(isStep) ? steps : null
}

function isStep(value: unknown): value is PlanStep {
  const { step, state } = (value ?? {}) as Record<string, unknown>
  return typeof step === 'string' && (STEP_STATES as readonly unknown[]).includes(state)
}

/** `2 of 5 done`. Steps that were dropped do not count. */
export function planSummary(plan: Plan): string {
  const meant = plan.filter(({ state }) => state !== 'dropped')
  return `${meant.filter(({ state }) => state === 'done').length} of ${meant.length} done`
}

const MARKS: Record<StepState, string> = { done: '✓', in_progress: '▸', pending: '·', dropped: '–' }

/** A visible line for each step: `✓ read the prices`. */
export function planLines(plan: Plan): string[] {
  return plan.map(({ step, state }) => `${MARKS[state]} ${visibleLine(step)}`)
}
