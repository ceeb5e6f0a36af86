import type {
  Durations,
  LoadQuery,
  LoadReport,
  Noteworthy,
  PersonLoad,
  SparingRule,
  ToolLoad,
} from '../../../core/load/load-report.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { timeAgo } from '../../command/flag-values.ts'
import { Show } from '../../display/show.ts'
import { plainTable } from '../../display/table.ts'
import { shellWord } from '../../process/shell-word.ts'
import { systemClock } from '../../process/system-clock.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'

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

const MARGIN = '  '
const WIDEST_LINE = 60
const HOUR_SECONDS = 3_600

function reportText(context: CommandContext, report: LoadReport): string {
  const { since, until, holds, people, tools } = report
  const show = new Show(context)
  const title = show.paint('bold', `People were asked from ${since} to ${until}`)
  const section = (name: string, lines: readonly string[]) => show.section(name, lines.map(visibleLine))
  if (holds.opened + holds.decided + holds.expired === 0) return `${title}\n\nNobody was asked anything.\n`
  return show.text([
    [title],
    holdLines(report),
    section('Look twice', noteworthy(report)),
    [plainTable(PEOPLE, people.map(personRow)).trimEnd()],
    [plainTable(TOOLS, tools.map(toolRow)).trimEnd()],
    section('Rules that would have spared approvals', report.rules.flatMap(ruleLines)),
  ])
}

function holdLines({ holds, over_time, seconds_to_decide }: LoadReport): string[] {
  const each = over_time.bucket_seconds === HOUR_SECONDS ? 'hour' : 'day'
  const opened = sparkline(
    over_time.buckets.map(({ opened: count }) => count),
    WIDEST_LINE,
  )
  const decided = sparkline(
    over_time.buckets.map(({ decided: count }) => count),
    WIDEST_LINE,
  )
  const { expired, withdrawn, open } = holds
  return [
    `${holds.opened} opened, ${holds.decided} decided, ${expired} expired, ${withdrawn} withdrawn, ${open} still open`,
    `${MARGIN}opened   |${opened}| by the ${each}`,
    `${MARGIN}decided  |${decided}| by the ${each}`,
    ...(seconds_to_decide === null ? [] : ['', ...durationLines(seconds_to_decide)]),
  ]
}

function durationLines({ median, p90, longest, spread }: Durations): string[] {
  const limits = spread.map(({ up_to }) => (up_to === null ? 'more' : inWords(up_to))).join(', ')
  return [
    `decided within ${inWords(median)} (half of them), ${inWords(p90)} (nine of ten), ${inWords(longest)} (all)`,
    `${MARGIN}time     |${sparkline(spread.map(({ count }) => count))}| up to ${limits}`,
  ]
}

function inWords(seconds: number): string {
  return durationText(seconds * 1000)
}

function noteworthy(report: LoadReport): string[] {
  const all: readonly (readonly [what: string, found: Noteworthy])[] = [
    ['expired, and no person was shown them', report.expired_unseen],
    ['approved within 2 seconds of being shown', report.approved_within_2s],
    ['approved without their end in view', report.approved_not_to_the_end],
    ['approved by a person to whom Holdpoint did not show them', report.approved_unseen],
  ]
  return all.flatMap(([what, { count, hold_ids }]) =>
    count === 0 ? [] : [`${count} ${what}: ${hold_ids.slice(-MOST_NAMED).join(', ')}`],
  )
}

const MOST_NAMED = 3

const PEOPLE = ['PERSON', 'DECIDED', 'AN HOUR', 'BUSIEST', 'MEDIAN', 'APPROVED', 'REJECTED', 'IN 2 S', 'UNSEEN']

function personRow(load: PersonLoad): string[] {
  const { person, decided, per_hour, busiest_hour, seconds_to_decide, approved, rejected } = load
  return [
    visibleLine(person),
    ...[decided, Number(per_hour.toFixed(1)), busiest_hour].map(String),
    inWords(seconds_to_decide.median),
    ...[approved, rejected, load.approved_within_2s, load.approved_unseen].map(String),
  ]
}

const TOOLS = ['TOOL', 'OPENED', 'MEDIAN', 'APPROVED', 'REJECTED', 'ANSWERED', 'EXPIRED']

function toolRow({ tool, opened, approved, rejected, answered, expired, seconds_to_decide }: ToolLoad): string[] {
  return [
    visibleLine(tool ?? '(the next message)'),
    String(opened),
    seconds_to_decide === null ? '' : inWords(seconds_to_decide.median),
    ...[approved, rejected, answered, expired].map(String),
  ]
}

function ruleLines({ agent, tool, match, arguments: exact, spared, of, rejected }: SparingRule): string[] {
  const covers =
    match === null
      ? `exactly ${JSON.stringify(exact)}`
      : Object.entries(match)
          .map(pair => pair.join('='))
          .join(' ')
  const flags = Object.entries(match ?? {}).map(pair => ` --match ${shellWord(pair.join('='))}`)
  return [
    `${tool} of ${agent}: ${covers}`,
    `${MARGIN}${spared} of ${of} approvals`,
    ...rejected.map(
      ({ hold_id, decided_by, reason }) =>
        `${MARGIN}it covers ${hold_id} too, which ${decided_by} rejected${reason === null ? '' : ` (${reason})`}`,
    ),
    `${MARGIN}to allow it with the next approval: holdpoint approve HOLD --always NAME --scope project${flags.join('')}`,
  ]
}

const BARS = '▁▂▃▄▅▆▇█'

/** Numbers from 0 as a line of bars, at most so many wide: neighbours are added up. Nothing at all is a blank. */
export function sparkline(values: readonly number[], width: number = values.length): string {
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, width)))
  const sums = Array.from({ length: Math.ceil(values.length / each) }, (_, index) =>
    values.slice(index * each, (index + 1) * each).reduce((sum, value) => sum + value, 0),
  )
  const most = Math.max(1, ...sums)
  return sums.map(sum => (sum === 0 ? ' ' : BARS.charAt(Math.ceil((sum / most) * BARS.length) - 1))).join('')
}
