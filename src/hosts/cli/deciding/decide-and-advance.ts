/**
 * Decides, and goes on with the run in this process as a resume would (docs/design/command-line.md). Keeps: a request that
 * must fail is refused before anything is recorded, and stdout has one document.
 */

import { jsonLine } from '../../../core/text/visible-text.ts'
import type { AdvanceOptions, AdvanceResult } from '../../../runtime/views/face-options.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { rehearse } from '../../agents/rehearse.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import type { OutputFormat } from '../../outcome/outcome-document.ts'
import {
  errorDocument,
  exitCodeAfter,
  type OutcomeDocument,
  outcomeDocument,
  resumeCommand,
} from '../../outcome/outcome-document.ts'
import { busyWords, openReporter, type Reporter, recordPause } from '../../outcome/reporter.ts'
import { actor } from '../../process/actor.ts'
import { type StopWatch, watchForStop } from '../../process/interruption.ts'
import { readConfig } from '../../project/project.ts'
import { storeToName } from '../../project/store-url.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'
import { openForReading } from '../open-for-reading.ts'
import { type HoldReply, type ReceiptDocument, receiptDocument, refusalIn } from './decision-receipt.ts'
import { type DecidingRequest, type Named, namedHolds, sayTo, tellPeople, tellReceipts } from './say-to-holds.ts'

/** @throws RefusedError; then nothing was recorded. */
export async function decideAndAdvance(context: CommandContext, asked: DecidingRequest): Promise<number> {
  const reporter = openReporter({ ...context, format: formatIn(context), verbose: false })
  using stop = watchForStop()
  await using app = await openForReading(context, { onEvent: reporter.tell })
  const { holdpoint } = app
  const named = await namedHolds(holdpoint, asked.names)
  const runId = onlyRun(named)
  const before = await holdpoint.run(runId)
  reporter.knows(before)
  await rehearse(app.agents, before.profile, { runId, calls: before.calls })
  const replies = await sayTo(context, holdpoint, { ...asked, found: named })
  if (replies.some(each => refusalIn(each) !== null)) return await tellReceipts(context, app, replies)
  if (before.profile.project !== null) reporter.toldAt(before.profile.project)
  const receipts = await Promise.all(replies.map(each => receiptDocument(app, each)))
  return await advance(context, { app, stop, reporter, before, said: replies, receipts })
}

/** Decisions on a run that another process works on and advances. */
export interface AdvancedElsewhere {
  readonly outcome: 'recorded'
  readonly advancing_by: string
  /** End of the lease unless it is renewed; ISO time. */
  readonly until: string
  readonly receipts: readonly ReceiptDocument[]
}

/** The outcome of a run that went on, and the decisions before. */
export type AdvancedDocument = OutcomeDocument & { readonly receipts: readonly ReceiptDocument[] }

interface Scene {
  readonly app: App
  readonly stop: StopWatch
  readonly reporter: Reporter
  readonly before: RunView
  readonly said: readonly HoldReply[]
  readonly receipts: readonly ReceiptDocument[]
}

async function advance(context: CommandContext, scene: Scene): Promise<number> {
  const { app, stop, reporter, before, receipts } = scene
  const { holdpoint } = app
  stop.beforeForcedExit(async signal => {
    const view = await holdpoint.run(before.id)
    const store = await namedStore(context, app)
    const told = { ...outcomeDocument(view, { interrupted: signal, store }), receipts }
    reporter.report(told)
  })
  let document: OutcomeDocument
  try {
    const options = { signal: stop.signal, pauseOn: [], ...moved(context, scene) }
    const result = await reporter.during(() => holdpoint.advance(before.id, options))
    if (result.status === 'busy') return await tellBusy(context, scene, result)
    const view = result as RunView
    if (view.status === 'waiting' && view.checkpoint_id !== before.checkpoint_id)
      await recordPause(holdpoint, view, context)
    const store = await namedStore(context, app)
    document = outcomeDocument(view, { interrupted: stop.stoppedBy(), store })
  } catch (thrown) {
    // The decisions are on record, so even a refusal of one part is a failure of the whole.
    const { thread_id: session_id, id: run_id } = before
    document = errorDocument(thrown, { outcome: 'failed', session_id, run_id, checkpoint_id: before.checkpoint_id })
  }
  const told = { ...document, receipts }
  reporter.report(told, resumeCommand(document, await namedStore(context, app)))
  return exitCodeAfter(document, stop)
}

/** Reports a run that goes on, as a resume would. A run with further holds is not advanced. */
function moved({ directory, env }: CommandContext, { before, receipts }: Scene): Partial<AdvanceOptions> {
  const waits = receipts.some(receipt => receipt.outcome !== 'refused' && receipt.run?.status === 'waiting')
  return waits || before.profile.project === directory
    ? {}
    : { changes: { project: directory }, by: actor(env), surface: 'cli' }
}

/** The store to name in a hint; `null` if it needs no name. */
async function namedStore({ given, env, directory }: CommandContext, { store }: App): Promise<string | null> {
  const config = await readConfig(directory, env)
  return storeToName(given.value('store'), { env, config, location: store.location })
}

/** The decision was recorded, and the owner of the run acts on it. */
async function tellBusy(
  context: CommandContext,
  { app, said: replies, receipts }: Scene,
  { owner, until }: Extract<AdvanceResult, { status: 'busy' }>,
): Promise<number> {
  if (context.json)
    context.io.out(jsonLine({ outcome: 'recorded', advancing_by: owner, until, receipts } satisfies AdvancedElsewhere))
  else {
    await tellPeople(context, app, replies)
    context.io.out(`Another process (${busyWords({ owner, until })}) works on the run, and goes on with this.\n`)
  }
  return 0
}

/**
 * The one run of these holds, because stdout has one document.
 * @throws RefusedError `several_runs`, or if one of the holds does not exist.
 */
function onlyRun(named: readonly Named[]): string {
  const runs = new Set<string>()
  for (const each of named) {
    if ('error' in each) throw each.error
    runs.add(each.hold.run_id)
  }
  const [run = '', ...others] = runs
  if (others.length === 0) return run
  throw decidingRefusals.severalRuns([...runs])
}

function formatIn({ json, given }: CommandContext): OutputFormat {
  if (!json) return 'text'
  return given.value('output') === 'stream-json' ? 'stream-json' : 'json'
}
