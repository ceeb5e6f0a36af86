import { RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { TaskResumption, TaskSummary, Tasks } from '../../../runtime/face/tasks.ts'
import type { PauseAnswer } from '../../../runtime/pauses/pause-decisions.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { readChoices } from '../../command/read-choices.ts'
import { actor } from '../../process/actor.ts'
import { readText } from '../../process/read-text.ts'
import { openForReading } from '../open-for-reading.ts'
import { taskNamed } from './task-named.ts'
import { standingText } from './task-text.ts'

/** With nothing said it goes on with what was decided elsewhere, or was interrupted. */
export async function resumeTask(context: CommandContext, [word, ...words]: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (word === undefined)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint tasks resume TASK [decisions | "text"]', {
      hint: '`holdpoint tasks --status paused` lists what waits for somebody.',
    })
  const answer = await answerIn(context, words)
  await using app = await openForReading(context)
  const asker = { by: actor(env), surface: 'cli' }
  const id = await taskNamed(app.holdpoint, word)
  const checkpoint = given.value('checkpoint')
  const checkpoint_id = checkpoint === null ? null : await fullId(app.holdpoint, checkpoint)
  const resumption = { answer, checkpoint_id, asker }
  const task = await goOn(app.holdpoint.tasks, id, resumption)
  const next = `  Next: \`holdpoint tasks wait ${task.task_id}${placeFlags(given)}\`.\n`
  io.out(json ? jsonLine(task) : `${standingText(task)}${next}`)
  return task.error === null ? 0 : 1
}

async function answerIn({ given }: CommandContext, words: readonly string[]): Promise<PauseAnswer> {
  const choices = await readChoices(given)
  const isStdin = words.length === 1 && words[0] === '-' && !given.literal
  // Without the line ends behind it, as a shell would put it there.
  const prompt = isStdin
    ? (await readText('-', 'The answer')).replace(/\n+$/, '')
    : words.length > 0
      ? words.join(' ')
      : null
  refuseBoth(choices !== null, prompt)
  return { choices, prompt, finish: false }
}

function goOn(tasks: Tasks, id: string, resumption: TaskResumption): Promise<TaskSummary> {
  const { answer, checkpoint_id, asker } = resumption
  const saysNothing = answer.choices === null && answer.prompt === null
  if (!saysNothing) return tasks.resume(id, resumption)
  if (checkpoint_id === null) return tasks.goOn(id, asker)
  throw new RefusedError('nothing_said', '--checkpoint names the pause that a decision is for, and none was given.', {
    hint: 'Add --approve, --reject, --edit, --answer or a text; leave --checkpoint out to go on with what was decided.',
  })
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
