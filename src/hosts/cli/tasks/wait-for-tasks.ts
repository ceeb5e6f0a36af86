import { RefusedError } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { TasksWaited } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { actor } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { openForReading } from '../open-for-reading.ts'
import { exitCodeOfTasks } from './task-exit-code.ts'
import { taskNamed } from './task-named.ts'
import { standingText } from './task-text.ts'

/** Resolves to the exit code of the tasks. They go on, even if the wait ends early. */
export async function waitForTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env } = context
  if (words.length === 0)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint tasks wait TASK… [--any] [--timeout SECONDS]', {
      hint: '`holdpoint tasks` lists them.',
    })
  const until = given.has('any') ? 'any' : 'all'
  const seconds = secondsIn(given)
  using stop = watchForStop()
  await using app = await openForReading(context)
  const tasks = app.holdpoint.tasks
  const asker = { by: actor(env), surface: 'cli' }
  const ids = await Promise.all(words.map(word => taskNamed(app.holdpoint, word)))
  const waited = await telling(context, ids.length, () =>
    tasks.wait([...new Set(ids)], { until, seconds, asker, signal: stop.signal }),
  )
  tell(context, waited)
  const stoppedBy = stop.stoppedBy()
  if (stoppedBy) return exitCodeOf(stoppedBy)
  const statuses = waited.tasks.map(({ status }) => status)
  return waited.timed_out ? 1 : exitCodeOfTasks(statuses, until)
}

async function telling<T>(context: CommandContext, count: number, wait: () => Promise<T>): Promise<T> {
  using meter = new ProgressMeter(context, { label: `Waiting for ${count === 1 ? 'the task' : `${count} tasks`}` })
  using _ = meter.keepTelling()
  return await wait()
}

function tell({ io, json }: CommandContext, waited: TasksWaited): void {
  io.out(json ? jsonLine(waited) : waited.tasks.map(standingText).join(''))
  if (waited.timed_out && !json) io.err('holdpoint: the wait is over, and the tasks go on.\n')
}

function secondsIn(given: Given): number | null {
  const text = given.value('timeout')
  if (text === null) return null
  if (/^\d{1,8}(\.\d+)?$/.test(text)) return Number(text)
  throw new RefusedError('invalid_arguments', `--timeout ${JSON.stringify(text)} is no number of seconds.`, {
    hint: 'Write --timeout 600; without it the wait takes as long as it takes.',
  })
}
