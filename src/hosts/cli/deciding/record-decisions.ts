import type { CommandContext } from '../../command/command.ts'
import { openForReading } from '../open-for-reading.ts'
import { type DecidingRequest, namedHolds, sayTo, tellReceipts } from './say-to-holds.ts'

/** Decides the named holds, and prints a receipt for each. Resolves to the exit code. @throws RefusedError */
export async function recordDecisions(context: CommandContext, asked: DecidingRequest): Promise<number> {
  if (context.given.has('advance')) {
    const { decideAndAdvance } = await import('./decide-and-advance.ts')
    return decideAndAdvance(context, asked)
  }
  await using app = await openForReading(context)
  const named = await namedHolds(app.holdpoint, asked.names)
  return await tellReceipts(context, app, await sayTo(context, app.holdpoint, { ...asked, found: named }))
}
