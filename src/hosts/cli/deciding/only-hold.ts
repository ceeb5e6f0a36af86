import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { askForReply, type Deciding } from '../../asking/ask-about-hold.ts'
import type { CommandContext } from '../../command/command.ts'
import { canAsk } from '../../display/ask-line.ts'
import { showHold } from '../holds/show-hold.ts'
import { openForReading } from '../open-for-reading.ts'

const MOST_LISTED = 10

/** A hold as a person was shown it, and the reply to it; `null` if it is left for later. */
export interface Answered {
  readonly hold: Hold
  readonly reply: Deciding | null
}

/**
 * The one hold that an approval without a name can be for. P9: it is shown in full first, and asked about as a run asks.
 * @throws RefusedError if there is none or more than one, or no person to ask.
 */
export async function answeredHold(context: CommandContext): Promise<Answered> {
  await using app = await openForReading(context)
  const open = await app.holdpoint.holds({ status: 'open' })
  const holds = open.filter(({ kind }) => kind === 'approval')
  const [hold] = holds
  if (!hold) throw nothing(open.length)
  if (holds.length > 1 || context.json || !canAsk(context.io)) throw notNamed(holds.map(({ id }) => id))
  const isSeen = await showHold(context, app.holdpoint, hold)
  return { hold, reply: await askForReply(hold, { ...context, isSeen }) }
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
