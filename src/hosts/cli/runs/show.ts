import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { RunOutline } from '../../../runtime/views/run-view.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import type { App } from '../../compose/compose.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { holdNamed } from '../holds/hold-filter.ts'
import { showHold } from '../holds/hold-text.ts'
import { onlyWord, openToLook } from '../open-for-reading.ts'
import { type RunAtCheckpoint, runDocument, type ShownRun, type StandingWord, standingOf } from './run-document.ts'
import { runText } from './run-text.ts'
import { showThread } from './threads.ts'

type Shower = (context: CommandContext, app: App, id: string) => Promise<void>

/** By the prefix of the id. */
const SHOWERS: Readonly<Record<string, Shower>> = {
  th: (context, { holdpoint }, id) => showThread(context, holdpoint, id),
  task: async (...shown) => (await import('../tasks/tasks.ts')).tellTask(...shown),
  run: async (context, { holdpoint }, id) => {
    const view = await holdpoint.runOutline(id)
    const exported = await holdpoint.bundles.exported(view.thread_id)
    const status = await standingIn(holdpoint, view)
    const document = {
      ...runDocument(view),
      standing: status,
      stuck: view.stuck,
      outage: view.outage,
      exported,
    } satisfies ShownRun
    if (context.json) context.io.out(jsonLine(document))
    else context.io.out(runText(context, { view, at: null, standing: status }))
  },
  cp: async (context, { holdpoint }, checkpoint) => {
    const place = await holdpoint.checkpoint(checkpoint)
    const view = await holdpoint.viewAt(place)
    const { seq } = place
    if (context.json)
      context.io.out(jsonLine({ seq, ...runDocument(view), checkpoint_id: checkpoint } satisfies RunAtCheckpoint))
    else context.io.out(runText(context, { view, at: { checkpoint, seq }, standing: view.status }))
  },
}

/** By its row alone: a session may have many runs. */
async function standingIn(holdpoint: Runs, { id: run_id, status, stuck }: RunOutline): Promise<StandingWord> {
  const [row] = await holdpoint.runs({ run_id })
  return row ? standingOf(row, stuck) : status
}

/** Everything there is to know of one thing, by its id. A hold may be named by its call, as for `approve`. */
export async function run(context: CommandContext): Promise<number> {
  const word = onlyWord(context.given.words, 'show ID')
  await using app = await openToLook(context)
  const id = await fullId(app.holdpoint, word)
  const show = SHOWERS[/^([a-z]+)_/.exec(id)?.[1] ?? '']
  if (show) await show(context, app, id)
  else await showHold(context, app.holdpoint, await holdCalled(app, id))
  return 0
}

async function holdCalled({ holdpoint }: App, name: string): Promise<Hold> {
  try {
    return await holdNamed(holdpoint, name)
  } catch (thrown) {
    if (!(thrown instanceof RefusedError) || thrown.code !== 'unknown_hold') throw thrown
    throw name.startsWith('hold_') ? unknownHold(name) : argumentRefusals.notAnId(name)
  }
}
