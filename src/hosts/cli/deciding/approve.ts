import type { CommandContext } from '../../command/command.ts'
import { grantIn } from '../policy/grant-flags.ts'
import { onlyHold } from './only-hold.ts'
import { recordDecisions } from './record-decisions.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const grant = grantIn(given)
  const said = { verdict: 'approve', reason: given.value('reason'), grant } as const
  return recordDecisions(context, {
    names: given.words.length > 0 ? given.words : [await onlyHold(context)],
    decide: (holds, by, holdpoint) => holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, ...said, ...by }))),
  })
}
