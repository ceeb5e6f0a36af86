import type { CommandContext } from '../../command/command.ts'
import { grantIn } from '../policy/grant-flags.ts'
import { onlyHold } from './only-hold.ts'
import { recordDecisions } from './record-decisions.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const grant = grantIn(given)
  const said = { verdict: 'approve', reason: given.value('reason'), grant } as const
  const drawn = given.words.length > 0 ? null : await onlyHold(context)
  return recordDecisions(context, {
    names: drawn ? [drawn.id] : given.words,
    decide: (holds, by, holdpoint) =>
      holdpoint.decideMany(
        holds.map(({ id }) => ({ hold_id: id, ...said, ...(drawn && { digest: drawn.digest }), ...by })),
      ),
  })
}
