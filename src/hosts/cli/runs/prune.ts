import type { Amount } from '../../../core/count.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { Pruned } from '../../../runtime/threads/prune-store.ts'
import type { CommandContext } from '../../command/command.ts'
import { timeBefore } from '../../command/flag-values.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { actor } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { systemClock } from '../../process/system-clock.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env } = context
  refuseWords(given.words, 'prune')
  const before = timeBefore(ageIn(context), 'older-than', systemClock.now())
  const dryRun = given.has('dry-run')
  using stop = watchForStop()
  await using app = await openForReading(context)
  using meter = new ProgressMeter(context, { label: dryRun ? 'Counting' : 'Deleting', unit: 'sessions' })
  const pruned = await app.holdpoint.prune({
    ...{ before, dryRun, by: actor(env), surface: 'cli', signal: stop.signal },
    onProgress: ({ threads }) => meter.tell(threads),
  })
  meter[Symbol.dispose]()
  io.out(
    json
      ? jsonLine({ dry_run: dryRun, before, ...pruned } satisfies PruneDocument)
      : asText(pruned, { before, dryRun }),
  )
  const stoppedBy = stop.stoppedBy()
  return stoppedBy ? exitCodeOf(stoppedBy) : 0
}

/** The deleted amounts; with `dry_run`, those that would be deleted. */
export interface PruneDocument extends Pruned {
  readonly dry_run: boolean
  /** ISO time: what happened since is kept. */
  readonly before: string
}

function ageIn({ given }: CommandContext): string {
  const age = given.value('older-than')
  if (age !== null) return age
  throw argumentRefusals.noAge()
}

function counted(count: Amount, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

function asText(pruned: Pruned, { before, dryRun }: { before: string; dryRun: boolean }): string {
  const { threads, runs, events, holds, grants, tasks, bytes } = pruned
  if (threads + tasks === 0) return `No session that is finished has been left alone since ${before}.\n`
  const parts = [counted(runs, 'run'), counted(holds, 'hold'), counted(grants, 'grant')].join(', ')
  const what = `${counted(threads, 'session')} with ${parts} and ${counted(events, 'event')} (${counted(bytes, 'byte')}), ${counted(tasks, 'task')}`
  return dryRun ? `Would be deleted: ${what}.\n` : `Deleted: ${what}. What is on record of them stays.\n`
}
