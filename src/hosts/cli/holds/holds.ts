import type { Hold } from '../../../core/hold/hold.ts'
import { holdDocument } from '../../../core/hold-view/hold-document.ts'
import { jsonLine, visibleText } from '../../../core/text/visible-text.ts'
import { startedReport } from '../../../runtime/doubt/attend-started.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { pageAfter, placeFlags } from '../../command/flag-values.ts'
import { fullId, withFullIds } from '../../command/full-id.ts'
import { columnsOf } from '../../display/hung.ts'
import { listText } from '../../display/list.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { signer } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { onlyWord, openForReading, openToLook, refuseWords } from '../open-for-reading.ts'
import { holdNamed, listedHolds, pageOf, placedHolds, readHoldFilter } from './hold-filter.ts'
import { HOLD_LIST } from './hold-list.ts'
import { commandsFor } from './hold-text.ts'

const FILTERS = ['kind', 'agent', 'tool', 'run', 'session', 'assignee', 'status', 'limit', 'mine']

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const [verb = '', ...words] = given.words
  if (verb === 'wait') return waitForStarted(context, words)
  if (verb === 'stop') return stopStarted(context, words)
  refuseWords(given.words, 'holds')
  const asked = readHoldFilter(context)
  if (given.has('watch')) {
    const { watchHolds } = await import('./watch-holds.ts')
    return watchHolds(context, asked)
  }
  await using app = await openToLook(context)
  const filter = { ...(await withFullIds(app.holdpoint, asked)), query: await withFullIds(app.holdpoint, asked.query) }
  const { holds, more } = await pageOf(app.holdpoint, filter)
  context.io.out(
    context.json
      ? jsonLine((await placedHolds(app.holdpoint, holds)).map(holdDocument))
      : listText(context, await listedHolds(app.holdpoint, holds), HOLD_LIST),
  )
  if (more !== null && !context.json) context.io.err(`There are more: ${pageAfter(given, more, ['holds', ...FILTERS])}`)
  if (!context.json) await tellExported(context, app.holdpoint)
  return 0
}

/** A hold that moved to another store waits there, and is not listed here. */
async function tellExported({ given, io }: CommandContext, holdpoint: Pick<Holds, 'holds'>): Promise<void> {
  if (![null, 'open'].includes(given.value('status'))) return
  const [one] = await holdpoint.holds({ status: 'exported', limit: 1 })
  if (one) io.err('Some moved to another store with their session: `holdpoint holds --status exported` lists them.\n')
}

/** `holdpoint holds wait HOLD`: until what its call in doubt had started runs no more. It decides nothing. */
async function waitForStarted(context: CommandContext, words: readonly string[]): Promise<number> {
  using stop = watchForStop()
  await using app = await openForReading(context)
  const { id } = await holdOf(app.holdpoint, onlyWord(words, 'holds wait HOLD'))
  using meter = new ProgressMeter(context, { label: `Waiting for what ${id} had started` })
  using _ = meter.keepTelling()
  const hold = await app.holdpoint.waitForStarted(id, { signal: stop.signal })
  const stoppedBy = stop.stoppedBy()
  if (stoppedBy) return exitCodeOf(stoppedBy)
  return tell(context, hold)
}

/** `holdpoint holds stop HOLD`: ends the command that its call in doubt had started. It decides nothing. */
async function stopStarted(context: CommandContext, words: readonly string[]): Promise<number> {
  await using app = await openForReading(context)
  const { id } = await holdOf(app.holdpoint, onlyWord(words, 'holds stop HOLD'))
  return tell(context, await app.holdpoint.stopStarted(id, signer(context.env)))
}

async function holdOf(holdpoint: Holdpoint, word: string): Promise<Hold> {
  return holdNamed(holdpoint, await fullId(holdpoint, word))
}

function tell({ io, json, given }: CommandContext, hold: Hold): number {
  const commands = commandsFor(hold, { place: placeFlags(given), columns: columnsOf(io) })
  const { text: standing = '', printed = null } = hold.still_running ?? {}
  const streams = Object.entries(printed ?? {}).filter(([, all]) => all !== '')
  const kept = streams.flatMap(([name, all]) => [`${name}:`, visibleText(all).trimEnd().replaceAll(/^/gm, '    ')])
  const text = [visibleText(standing), ...kept, 'Decide with:', ...commands.map(line => `  ${line}`)]
  io.out(json ? jsonLine(startedReport(hold)) : `${text.join('\n')}\n`)
  return hold.still_running?.standing === 'running' ? 1 : 0
}
