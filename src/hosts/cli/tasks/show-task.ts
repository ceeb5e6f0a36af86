import { actor } from '../../actor.ts'
import type { CommandContext } from '../../command.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { detailsText } from './task-text.ts'

export async function showTask(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json, env } = context
  const id = onlyWord(words, 'tasks show TASK')
  await using house = await openForReading(context)
  const details = await (await house.supervision.tasks()).details(id, { by: actor(env), surface: 'cli' })
  io.out(json ? `${JSON.stringify(details)}\n` : detailsText(details))
  return 0
}
