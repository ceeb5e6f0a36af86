import { RefusedError } from '../../../core/errors.ts'
import { actor } from '../../actor.ts'
import type { CommandContext } from '../../command.ts'
import { readChoices } from '../../read-choices.ts'
import { openForReading } from '../open-for-reading.ts'
import { standingText } from './task-text.ts'

/** With nothing said it goes on with what was decided elsewhere, or was interrupted. */
export async function resumeTask(context: CommandContext, [id, ...said]: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (id === undefined)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint tasks resume TASK [decisions | "text"]')
  const choices = await readChoices(given)
  const prompt = said.length > 0 ? said.join(' ') : null
  refuseBoth(choices !== null, prompt)
  await using house = await openForReading(context)
  const tasks = await house.supervision.tasks()
  const asker = { by: actor(env), surface: 'cli' }
  const saysNothing = choices === null && prompt === null
  const checkpoint_id = given.value('checkpoint')
  const answer = { said: { choices, prompt, finish: false }, checkpoint_id, asker }
  const task = saysNothing ? await tasks.goOn(id, asker) : await tasks.resume(id, answer)
  io.out(json ? `${JSON.stringify(task)}\n` : standingText(task))
  return 0
}

function refuseBoth(decides: boolean, prompt: string | null): void {
  if (prompt === null) return
  if (decides)
    throw new RefusedError('decisions_with_text', 'Decisions and a text were given together.', {
      hint: 'Give one of them.',
    })
  if (prompt.trim() === '')
    throw new RefusedError('empty_answer', 'The answer is empty.', { hint: 'Give the answer as text.' })
}
