import { canonicalJson } from '../text/json.ts'
import type { Decision, DecisionInput } from './decision.ts'
import type { Hold } from './hold.ts'

type Saying = Pick<DecisionInput, 'decision_id' | 'verdict' | 'decided_by' | 'arguments' | 'value' | 'parts'>

/**
 * P2: the same decision, submitted again, whether it decided the hold or was one of several. The id alone does not make
 * it the same: another decider may have used it, or this one for something else.
 */
export function saidBefore(
  { decision, votes }: Pick<Hold, 'decision' | 'votes'>,
  saying: Saying,
): Decision | undefined {
  const recorded = decision ? [decision, ...votes] : votes
  return recorded.find(before => before.decision_id === saying.decision_id && saysTheSame(before, saying))
}

function saysTheSame(before: Decision, decision: Saying): boolean {
  return (
    before.decided_by === decision.decided_by &&
    before.verdict === decision.verdict &&
    contentOf(before) === contentOf(decision)
  )
}

function contentOf(decision: Pick<Saying, 'arguments' | 'value' | 'parts'>): string {
  const { arguments: args = null, value = null, parts = null } = decision
  return canonicalJson([args, parts ?? value])
}
