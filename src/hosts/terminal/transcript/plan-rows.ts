import { type Plan, planLines, type StepState } from '../../../core/plan/plan.ts'
import type { Style } from '../../display/screen.ts'
import { flowed, type Line, line } from '../screen/flow.ts'

const STYLES: Record<StepState, Style | null> = { done: 'dim', in_progress: 'bold', pending: null, dropped: 'dim' }
const INDENT = '    '

/** The steps of a plan, below the call that wrote them. */
export function planRows(plan: Plan, columns: number): Line[] {
  const texts = planLines(plan)
  return plan.flatMap(({ state }, at) => flowed(line(`${INDENT}${texts[at]}`, STYLES[state]), columns, `${INDENT}  `))
}
