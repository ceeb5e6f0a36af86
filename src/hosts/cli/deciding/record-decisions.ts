import type { CommandContext } from '../../command/command.ts'
import { openForReading } from '../open-for-reading.ts'
import { type Asked, namedHolds, sayTo, tellReceipts } from './say-to-holds.ts'

/** Decides the holds that words name, and tells what became of each. Resolves to the exit code. @throws RefusedError */
export async function recordDecisions(context: CommandContext, asked: Asked): Promise<number> {
  if (context.given.has('advance')) {
    const { decideAndAdvance } = await import('./decide-and-advance.ts')
    return decideAndAdvance(context, asked)
  }
  await using house = await openForReading(context)
  const found = await namedHolds(house.holdpoint, asked.names)
  return await tellReceipts(context, house, await sayTo(context, house.holdpoint, { ...asked, found }))
}
