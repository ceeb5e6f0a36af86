import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { CommandContext } from '../../command/command.ts'
import { confirmAtTerminal } from '../../display/confirm.ts'
import { showHold } from '../holds/show-hold.ts'
import { openForReading } from '../open-for-reading.ts'

const MOST_LISTED = 10

/** A hold as the approver was shown it. */
export type Drawn = Pick<Hold, 'id' | 'digest'>

/**
 * The one hold that an approval without a name can be for. P9: it is shown in full first, and a person says yes to that.
 * @throws RefusedError if there is none or more than one, or no person to ask.
 */
export async function onlyHold(context: CommandContext): Promise<Drawn> {
  await using app = await openForReading(context)
  const open = await app.holdpoint.holds({ status: 'open' })
  const holds = open.filter(({ kind }) => kind === 'approval')
  const [hold] = holds
  if (!hold) throw nothing(open.length)
  const confirm = context.json ? null : confirmAtTerminal(context)
  if (holds.length > 1 || confirm === null) throw notNamed(holds.map(({ id }) => id))
  await showHold(context, app.holdpoint, hold)
  if (await confirm('Approve it?')) return { id: hold.id, digest: hold.digest }
  throw new RefusedError('not_recorded', `${hold.id} was not approved. Nothing was recorded.`, {
    hint: `It stays open. To refuse it, use \`holdpoint reject ${hold.id} --reason TEXT\`.`,
  })
}

function nothing(others: number): RefusedError {
  const what = others === 0 ? 'Nothing waits' : 'No call waits for approval'
  return new RefusedError('nothing_to_decide', `${what} in this store.`, { action: { do: 'find_hold' } })
}

function notNamed(ids: readonly string[]): RefusedError {
  const listed = ids.slice(0, MOST_LISTED)
  const wait = ids.length === 1 ? 'One waits' : `${ids.length} wait`
  return new RefusedError('invalid_arguments', 'It is not said what to approve: holdpoint approve HOLD…', {
    hint: `${wait}: ${listed.join(', ')}. Look at it with \`holdpoint show HOLD\` first.`,
    details: { holds: listed },
  })
}
