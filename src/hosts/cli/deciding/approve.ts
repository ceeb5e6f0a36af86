import type { Receipt } from '../../../core/deciding/receipt.ts'
import type { DecisionInput } from '../../../core/hold/decision.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { holdNames } from '../holds/hold-filter.ts'
import { grantIn } from '../policy/grant-flags.ts'
import { recordDecisions } from './record-decisions.ts'
import type { By } from './say-to-holds.ts'

type Along = Pick<DecisionInput, 'reason' | 'grant'>

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const along: Along = { reason: given.value('reason'), grant: grantIn(given) }
  const only = given.values('only')
  if (only.length > 0) return approveSome(context, along, only)
  if (given.words.length === 0) return approveAsked(context, along)
  return recordDecisions(context, {
    names: given.words,
    decide: (holds, by, holdpoint) =>
      holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, verdict: 'approve', ...along, ...by }))),
  })
}

/** Of an effect, some of the files: the call goes on with them as its `keep`. */
function approveSome(context: CommandContext, { reason }: Along, keep: readonly string[]): Promise<number> {
  const decide = (hold: Hold, by: By, holdpoint: Holds): Promise<Receipt> => {
    if (hold.preview?.own !== true || typeof hold.arguments === 'string') throw decidingRefusals.noEffect(hold.id)
    const args = { ...hold.arguments, keep }
    return holdpoint.decide(hold.id, { verdict: 'edit', arguments: args, reason, digest: hold.digest, ...by })
  }
  return recordDecisions(context, {
    names: holdNames(context.given, 'approve HOLD --only PATH'),
    decide: (holds, by, holdpoint) => Promise.all(holds.map(hold => decide(hold, by, holdpoint))),
  })
}

/** The person chose to decide later: the hold stays open, and a person is still needed. */
const LEFT = 10

/** Without a name, the person at the terminal sees what waits and decides it. */
async function approveAsked(context: CommandContext, along: Along): Promise<number> {
  const [{ answeredHold }, { decideAsReplied }] = await Promise.all([
    import('./say-to-holds.ts'),
    import('../../asking/ask-about-hold.ts'),
  ])
  const answered = await answeredHold(context)
  if (!answered?.reply) return LEFT
  const { hold, reply } = answered
  const decide = async (by: By, holdpoint: Holds): Promise<Receipt> =>
    (await decideAsReplied(hold, reply, { ...context, holdpoint, by, along })) ?? {
      outcome: 'refused',
      hold,
      error: decidingRefusals.unchangedEdit(hold.id),
    }
  return recordDecisions(context, {
    names: [hold.id],
    decide: async (_, by, holdpoint) => [await decide(by, holdpoint)],
  })
}

export async function reject(context: CommandContext): Promise<number> {
  const { given } = context
  const decision = { verdict: 'reject', reason: given.value('reason') } as const
  return recordDecisions(context, {
    names: holdNames(given, 'reject HOLD…'),
    decide: (holds, by, holdpoint) =>
      holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, ...decision, ...by }))),
  })
}
