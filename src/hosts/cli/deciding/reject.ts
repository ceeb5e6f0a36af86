import type { CommandContext } from '../../command/command.ts'
import { holdNames } from '../holds/hold-names.ts'
import { recordDecisions } from './record-decisions.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const said = { verdict: 'reject', reason: given.value('reason') } as const
  return recordDecisions(context, {
    names: holdNames(given, 'reject HOLD…'),
    decide: (holds, by, holdpoint) => holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, ...said, ...by }))),
  })
}
