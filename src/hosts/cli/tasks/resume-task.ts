import { jsonLine } from '../../../core/text/visible-text.ts'
import type { TaskResumption, TaskSummary, Tasks } from '../../../runtime/face/tasks.ts'
import type { PauseAnswer } from '../../../runtime/pauses/pause-decisions.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { readChoices } from '../../command/read-choices.ts'
import { signer } from '../../process/actor.ts'
import { readText } from '../../process/read-text.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { openForReading } from '../open-for-reading.ts'
import { standingText, taskNamed } from './task-text.ts'

const USAGE_HINT = '`holdpoint tasks --status paused` lists what waits for somebody.'

/** Without a decision or text, resumes a task that was decided elsewhere, or was interrupted. */
export async function resumeTask(context: CommandContext, [word, ...words]: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (word === undefined) throw argumentRefusals.usage('tasks resume TASK [decisions | "text"]', USAGE_HINT)
  const answer = await answerIn(context, words)
  await using app = await openForReading(context)
  const asker = signer(env)
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
  // No trailing line ends, as in a shell.
  const prompt = isStdin
    ? (await readText('-', 'The answer')).replace(/\n+$/, '')
    : words.length > 0
      ? words.join(' ')
      : null
  if (choices !== null && prompt !== null) throw decidingRefusals.decisionsWithText()
  if (prompt?.trim() === '') throw decidingRefusals.emptyAnswer()
  return { choices, prompt, finish: false }
}

function goOn(tasks: Tasks, id: string, resumption: TaskResumption): Promise<TaskSummary> {
  const { answer, checkpoint_id, asker } = resumption
  const saysNothing = answer.choices === null && answer.prompt === null
  if (!saysNothing) return tasks.resume(id, resumption)
  if (checkpoint_id === null) return tasks.goOn(id, asker)
  throw decidingRefusals.nothingSaid()
}
