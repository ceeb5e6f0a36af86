import { RefusedError } from '../../../core/errors.ts'
import { unknownHold } from '../../../core/hold/unknown-hold.ts'
import type { Json } from '../../../core/text/json.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleText } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { showHold } from '../holds/show-hold.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { showThread } from './threads.ts'

type Finder = (holdpoint: Holdpoint, id: string) => Promise<unknown>

const FINDERS: Readonly<Record<string, Finder>> = {
  run_: async (holdpoint, id) => {
    const view = await holdpoint.run(id)
    return { ...runDocument(view), exported: await holdpoint.bundles.exported(view.thread_id) }
  },
  cp_: async (holdpoint, id) => {
    const place = await holdpoint.checkpoint(id)
    return { checkpoint_id: id, seq: place.seq, ...runDocument(await holdpoint.viewAt(place)) }
  },
}

type Shower = (context: CommandContext, app: App, id: string) => Promise<void>

/** Documents that people read in another form. */
const SHOWN_OTHERWISE: readonly (readonly [prefix: string, show: Shower])[] = [
  ['th_', (context, { holdpoint }, id) => showThread(context, holdpoint, id)],
  ['task_', async (...shown) => (await import('../tasks/show-task.ts')).tellTask(...shown)],
  [
    'hold_',
    async (context, { holdpoint }, id) =>
      showHold(context, holdpoint, (await holdpoint.hold(id)) ?? (await Promise.reject(unknownHold(id)))),
  ],
]

/** Everything there is to know of one thing, by its id. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const id = onlyWord(given.words, 'show ID')
  await using app = await openForReading(context)
  const shown = SHOWN_OTHERWISE.find(([prefix]) => id.startsWith(prefix))?.[1]
  if (shown) {
    await shown(context, app, id)
    return 0
  }
  const finder = Object.entries(FINDERS).find(([prefix]) => id.startsWith(prefix))?.[1]
  if (!finder) throw notAnId(id)
  const found = await finder(app.holdpoint, id)
  io.out(json ? jsonLine(found) : `${visibleText(JSON.stringify(found, null, 2))}\n`)
  return 0
}

function runDocument(view: RunView): Record<string, unknown> {
  const {
    id: run_id,
    thread_id: session_id,
    status,
    termination,
    checkpoint_id,
    holds,
    calls,
    steps,
    usage,
    answer,
    profile,
  } = view
  return {
    run_id,
    session_id,
    status,
    termination,
    checkpoint_id,
    agent_message: answer,
    holds,
    calls,
    steps_taken: steps,
    usage,
    profile: profile as unknown as Json,
  }
}

function notAnId(id: string): RefusedError {
  return new RefusedError(
    'invalid_arguments',
    `${JSON.stringify(id)} is no id of a hold, run, session, task or checkpoint.`,
    {
      hint: 'Ids begin with hold_, run_, th_, task_ or cp_.',
    },
  )
}
