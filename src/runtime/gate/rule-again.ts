import type { HoldState } from '../../core/journal/thread.ts'
import { takesPerson } from '../policy/policy-gate.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import type { Gated } from './gate-calls.ts'

/**
 * P1, P9: a call is ruled on again when it starts, held or not: the same words may lead elsewhere by now, for example by
 * a link that another call of its batch made. `null` if they cannot.
 */
export async function ruleAgain({ run }: RunSession, { call, tool }: Gated): Promise<RulingNow | null> {
  const args = call.final_arguments
  if (!tool.inspect || typeof args === 'string') return null
  if (tool.mayNeedPersonNow?.(args, run.profile.workdir) === false) return null
  return rulingOn(run.profile, tool, args)
}

/** Why a call that was let pass may not start by itself now; `null` if it may. */
export function whyNotByItself(session: RunSession, { call, tool }: Gated, ruling: RulingNow | null): string | null {
  if (ruling === null || ruling.verdict === 'auto') return null
  if (takesPerson(ruling)) return ruling.rule
  const isCovered =
    call.grant_id !== null || [...session.run.approvals.values()].some(({ used_by }) => used_by === call.id)
  return isCovered || tool.asks || !session.pausesFor('approval') ? null : ruling.rule
}

/** The reason why a person must look at the call as it is now, even after another decision; `null` if there is none. */
export function alwaysAsks(ruling: RulingNow | null): string | null {
  return ruling?.verdict === 'prompt' && ruling.binding ? ruling.rule : null
}

/** P9: an approval binds the real place that its approver was asked about. An edit is ruled on when it is made. */
export function leadsElsewhere(hold: HoldState | undefined, ruling: RulingNow | null): boolean {
  if (hold?.leads_to === undefined || hold.decision?.verdict === 'edit' || ruling === null) return false
  return hold.leads_to !== ruling.leads_to
}
