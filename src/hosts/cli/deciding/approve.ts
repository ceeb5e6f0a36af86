import type { Receipt } from '../../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { grantIn } from '../policy/grant-flags.ts'
import { recordDecisions } from './record-decisions.ts'
import type { By } from './say-to-holds.ts'

type Along = Pick<DecisionInput, 'reason' | 'grant'>

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const along: Along = { reason: given.value('reason'), grant: grantIn(given) }
  if (given.words.length === 0) return approveAsked(context, along)
  return recordDecisions(context, {
    names: given.words,
    decide: (holds, by, holdpoint) =>
      holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, verdict: 'approve', ...along, ...by }))),
  })
}

/** The person chose to decide later: the hold stays open, and a person is still needed. */
const LEFT = 10

/** Without a name: the person at the terminal is shown what waits, and says what becomes of it. */
async function approveAsked(context: CommandContext, along: Along): Promise<number> {
  const [{ answeredHold }, { decideAsReplied }, { unchangedEdit }] = await Promise.all([
    import('./only-hold.ts'),
    import('../../asking/ask-about-hold.ts'),
    import('./edit.ts'),
  ])
  const { hold, reply } = await answeredHold(context)
  if (reply === null) return LEFT
  const decide = async (by: By, holdpoint: Holds): Promise<Receipt> =>
    (await decideAsReplied(hold, reply, { ...context, holdpoint, by, along })) ?? {
      outcome: 'refused',
      hold,
      error: unchangedEdit(hold),
    }
  return recordDecisions(context, {
    names: [hold.id],
    decide: async (_, by, holdpoint) => [await decide(by, holdpoint)],
  })
}
