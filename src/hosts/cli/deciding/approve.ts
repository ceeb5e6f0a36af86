import type { CommandContext } from '../../command/command.ts'
import { holdNames } from '../holds/hold-names.ts'
import { grantIn } from '../policy/grant-flags.ts'
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
