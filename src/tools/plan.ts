import { PLAN_TOOL, STEP_STATES } from '../core/plan/plan.ts'
import { limited, listOf, object, text, words } from '../core/text/json-schema.ts'
import type { Tool } from '../ports/agent/tool.ts'
import { BUILT_IN_VERSION } from './define/built-in-version.ts'
import { validateArguments } from './define/json-schema.ts'

const STEP = object({ step: text('What is done in this step, in a few words.'), state: words(...STEP_STATES) }, [
  'step',
  'state',
])

const INPUT_SCHEMA = object(
  {
    steps: limited(listOf(STEP), {
      ...{ minItems: 1, maxItems: 50 },
      description: 'All steps, in order: each call replaces the whole list.',
    }),
  },
  ['steps'],
)

/** The agent's own list of steps. It changes nothing: its call in the journal is the plan. */
export function plan(): Tool {
  return {
    name: PLAN_TOOL,
    description:
      'Writes your list of steps, which people see while you work. Use it for work of several steps: write the list ' +
      'first, and again whenever the state of a step changes. At most one step is in_progress.',
    inputSchema: INPUT_SCHEMA,
    version: BUILT_IN_VERSION,
    idempotent: true,
    destructive: false,
    needsApproval: () => false,
    title: () => 'Write down its plan',
    validate: args => validateArguments(INPUT_SCHEMA, args),
    execute: async () => ({ kept: true }),
  }
}
