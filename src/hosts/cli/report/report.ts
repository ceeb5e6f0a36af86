import type { LoadQuery } from '../../../core/load/load-report.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CommandContext } from '../../command/command.ts'
import { timeAgo } from '../../command/time-values.ts'
import { systemClock } from '../../process/system-clock.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { reportText } from './report-text.ts'

/** How much people were asked, and how they answered. It changes nothing. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'report')
  const now = systemClock.now()
  const query: LoadQuery = Object.fromEntries(
    ['since', 'until'].flatMap(flag => {
      const text = given.value(flag)
      return text === null ? [] : [[flag, timeAgo(text, flag, now)]]
    }),
  )
  await using app = await openForReading(context)
  const report = await app.holdpoint.audit.report(query)
  io.out(json ? jsonLine(report) : reportText(context, report))
  return 0
}
