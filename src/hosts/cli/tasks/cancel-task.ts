import { RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { TaskSummary } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { taskNamed } from './task-named.ts'
import { standingText } from './task-text.ts'

export async function cancelTask(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const word = onlyWord(words, 'tasks cancel TASK')
  await using app = await openForReading(context)
  const id = await taskNamed(app.holdpoint, word)
  const asker = { by: actor(env), surface: 'cli', reason: given.value('reason') }
  const task = await app.holdpoint.tasks.cancel(id, asker)
  if (task.status !== 'cancelled') throw over(task)
  io.out(json ? jsonLine(task) : standingText(task))
  return 0
}

function over({ task_id, status }: TaskSummary): RefusedError {
  return new RefusedError(
    'task_over',
    `Task ${task_id} is ${status.replace('_', ' ')} already, so there is nothing to cancel.`,
    {
      hint: `See how it ended with \`holdpoint tasks show ${task_id}\`.`,
      details: { status },
    },
  )
}
