import type { CommandContext } from '../command.ts'
import { grantIn } from './grant-flags.ts'
import { holdNames } from './hold-names.ts'
import { recordDecisions } from './record-decisions.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const grant = grantIn(given)
  const said = { verdict: 'approve', reason: given.value('reason'), grant } as const
  return recordDecisions(context, {
    names: holdNames(given, 'approve HOLD…'),
    decide: (holds, by, holdpoint) => holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, ...said, ...by }))),
  })
}
