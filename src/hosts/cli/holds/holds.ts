import { holdDocument } from '../../../core/hold-view/hold-document.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { withFullIds } from '../../command/full-id.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { shellWord } from '../../process/shell-word.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'
import { pageOf, readHoldFilter } from './hold-filter.ts'
import { listText } from './hold-list.ts'
import { placedHolds } from './placed-holds.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  refuseWords(given.words, 'holds')
  const asked = readHoldFilter(context)
  if (given.has('watch')) {
    const { watchHolds } = await import('./watch-holds.ts')
    return watchHolds(context, asked)
  }
  await using app = await openToLook(context)
  const filter = { ...(await withFullIds(app.holdpoint, asked)), query: await withFullIds(app.holdpoint, asked.query) }
  const { holds, more } = await pageOf(app.holdpoint, filter)
  const placed = await placedHolds(app.holdpoint, holds)
  context.io.out(context.json ? jsonLine(placed.map(holdDocument)) : listText(context, placed))
  if (more !== null && !context.json) context.io.err(nextPage(given, more))
  if (!context.json) await tellExported(context, app.holdpoint)
  return 0
}

/** A hold that moved to another store waits there, and is not listed here. */
async function tellExported({ given, io }: CommandContext, holdpoint: Pick<Holds, 'holds'>): Promise<void> {
  if (![null, 'open'].includes(given.value('status'))) return
  const [one] = await holdpoint.holds({ status: 'exported', limit: 1 })
  if (one) io.err('Some moved to another store with their session: `holdpoint holds --status exported` lists them.\n')
}

/** The same command once more, behind the last hold of this page. */
function nextPage(given: CommandContext['given'], last: string): string {
  const values = ['kind', 'agent', 'tool', 'run', 'session', 'assignee', 'status', 'limit'].flatMap(flag => {
    const value = given.value(flag)
    return value === null ? [] : [shellWord(`--${flag}=${value}`)]
  })
  const words = [
    'holdpoint holds',
    ...values,
    ...(given.has('mine') ? ['--mine'] : []),
    `--after ${last}${placeFlags(given)}`,
  ]
  return `There are more: ${words.join(' ')}\n`
}
