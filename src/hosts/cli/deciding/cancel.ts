import { messageOf } from '../../../core/errors.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { Threads } from '../../../runtime/face/threads.ts'
import type { Cancelled } from '../../../runtime/threads/cancel-run.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { removeManifest } from '../../outcome/manifest.ts'
import { actor } from '../../process/actor.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import type { DecidedRun } from './decision-receipt.ts'
import { recordDecisions } from './record-decisions.ts'

/** A run that a person ended, or `requested` to be ended by the process that works on it. */
export interface CancellationDocument {
  readonly outcome: Exclude<Cancelled['outcome'], 'done'>
  readonly by: string
  readonly reason: string | null
  readonly run: DecidedRun
}

/** Ends a run for good, or cancels the call of a hold and lets its run go on. */
export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const id = onlyWord(given.words, 'cancel RUN|HOLD')
  if (id.startsWith('run_')) return cancelRun(context, id)
  const decision = { verdict: 'cancel', reason: given.value('reason') } as const
  return recordDecisions(context, {
    names: [id],
    decide: (holds, by, holdpoint) =>
      holdpoint.decideMany(holds.map(hold => ({ hold_id: hold.id, ...decision, ...by }))),
  })
}

async function cancelRun(context: CommandContext, word: string): Promise<number> {
  const { given, env, io, json } = context
  await using app = await openForReading(context)
  const id = await fullId(app.holdpoint, word)
  const before = await app.holdpoint.run(id)
  const { outcome, run } = await cancelled(context, app.holdpoint, id)
  // The manifest of its pause is stale now. The process that ended the run may have died before it removed the file.
  if (before.profile.project !== null && !context.server) tidy(context, before.profile.project, id)
  if (outcome === 'done') throw decidingRefusals.runDone(id, run.termination?.type ?? 'done')
  const { thread_id: session_id, status, checkpoint_id } = run
  const document: CancellationDocument = {
    outcome,
    by: actor(env),
    reason: given.value('reason'),
    run: { run_id: id, session_id, status, checkpoint_id },
  }
  if (json) io.out(jsonLine(document))
  else io.out(visibleLine(`${id}: ${SAID[outcome]} by ${document.by}.`).concat('\n'))
  return 0
}

const SAID: Record<Exclude<Cancelled['outcome'], 'done'>, string> = {
  cancelled: 'cancelled',
  requested: 'its cancellation is on record, and whoever works on it ends it; cancelled',
}

/** Once the wish is on record, the owner of the run carries it out, even if this command fails. */
async function cancelled(
  { given, env, io, server }: CommandContext,
  holdpoint: Runs & Threads,
  id: string,
): Promise<Cancelled> {
  try {
    return await holdpoint.cancel(id, { by: actor(env), reason: given.value('reason') })
  } catch (thrown) {
    if (server) throw thrown
    const run = await holdpoint.run(id)
    const isOnRecord = (await holdpoint.journal(run.thread_id)).some(
      ({ kind, run_id }) => kind === 'cancel.requested' && run_id === id,
    )
    if (!isOnRecord) throw thrown
    io.err(`holdpoint: warning: the run could not be ended here: ${messageOf(thrown)}\n`)
    return { outcome: 'requested', run }
  }
}

function tidy({ io }: CommandContext, directory: string, id: string): void {
  try {
    removeManifest(directory, id)
  } catch (thrown) {
    io.err(`holdpoint: warning: the manifest of the pause could not be removed: ${messageOf(thrown)}\n`)
  }
}
