import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** `holdpoint runs release RUN`: another process can go on with a run whose host is gone. */
export async function releaseRun(context: CommandContext, words: readonly string[]): Promise<number> {
  const word = onlyWord(words, 'runs release RUN')
  await using app = await openForReading(context)
  const released = await app.holdpoint.release(await fullId(app.holdpoint, word), {
    by: actor(context.env),
    surface: 'cli',
  })
  const { io, json } = context
  io.out(json ? jsonLine(released) : `${released.run_id} is free: ${released.owner} can write nothing more of it.\n`)
  return 0
}
