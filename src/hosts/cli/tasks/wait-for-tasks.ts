import { RefusedError } from '../../../core/errors.ts'
import { actor } from '../../actor.ts'
import type { CommandContext } from '../../command.ts'
import type { Given } from '../../flags.ts'
import { exitCodeOf, watchForStop } from '../../interruption.ts'
import { openForReading } from '../open-for-reading.ts'
import { exitCodeOfTasks } from './task-exit-code.ts'
import { standingText } from './task-text.ts'

/** Resolves to the exit code of what was waited for; what is waited for goes on whatever becomes of the wait. */
export async function waitForTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (words.length === 0)
    throw new RefusedError('invalid_arguments', 'Usage: holdpoint tasks wait TASK… [--any] [--timeout SECONDS]')
  const request = { until: given.has('any') ? 'any' : 'all', seconds: secondsIn(given) } as const
  using stop = watchForStop()
  await using house = await openForReading(context)
  const tasks = await house.supervision.tasks()
  const asker = { by: actor(env), surface: 'cli' }
  const waited = await tasks.wait([...new Set(words)], { ...request, asker, signal: stop.signal })
  io.out(json ? `${JSON.stringify(waited)}\n` : waited.tasks.map(standingText).join(''))
  const stoppedBy = stop.stoppedBy()
  if (stoppedBy) return exitCodeOf(stoppedBy)
  if (waited.timed_out && !json) io.err('holdpoint: the wait is over, and the tasks go on.\n')
  return waited.timed_out ? 1 : exitCodeOfTasks(waited.tasks)
}

function secondsIn(given: Given): number | null {
  const text = given.value('timeout')
  if (text === null) return null
  if (/^\d{1,8}(\.\d+)?$/.test(text)) return Number(text)
  throw new RefusedError('invalid_arguments', `--timeout ${JSON.stringify(text)} is no number of seconds.`)
}
