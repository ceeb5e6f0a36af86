import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'wouter'
import { get } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { Room } from '../parts/room.tsx'
import { Section } from '../parts/section.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { BarPlot } from './bar-plot.tsx'
import { PeopleTable, ToolTable } from './load-tables.tsx'
import type { Report } from './report.ts'
import { Rules } from './rules.tsx'
import { bucketName, lengthName } from './words.ts'

const DAY_MS = 86_400_000
const PERIODS: readonly { readonly days: number; readonly name: string }[] = [
  { days: 1, name: '24 hours' },
  { days: 7, name: '7 days' },
  { days: 30, name: '30 days' },
  { days: 90, name: '90 days' },
]
const USUAL_DAYS = 7

/** How much people are asked, how they answer, and what would spare them. */
export function LoadPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const days = PERIODS.find(each => String(each.days) === search.get('days'))?.days ?? USUAL_DAYS
  const { data, error, refetch } = useQuery({
    queryKey: ['report', days],
    queryFn: ({ signal }) => get<Report>('/v1/report', { since: sinceOf(days) }, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <Room
      title="Load on people"
      about="How much they are asked, how they answer, and which rules would have spared them."
      actions={<Periods days={days} onChoose={chosen => setSearch({ days: String(chosen) }, { replace: true })} />}
    >
      {data ? <Shown report={data} /> : error ? <Trouble error={error} again={() => void refetch()} /> : <Loading />}
    </Room>
  )
}

function sinceOf(days: number): string {
  return new Date(serverNow() - days * DAY_MS).toISOString()
}

interface PeriodsProps {
  readonly days: number
  readonly onChoose: (days: number) => void
}

function Periods({ days, onChoose }: PeriodsProps): ReactElement {
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">Time</legend>
      {PERIODS.map(each => (
        <button
          key={each.days}
          type="button"
          aria-pressed={each.days === days}
          onClick={() => onChoose(each.days)}
          className="min-h-10 rounded-lg border border-line bg-card px-3 text-sm hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {each.name}
        </button>
      ))}
    </fieldset>
  )
}

function Shown({ report }: { readonly report: Report }): ReactElement {
  const { holds, over_time, seconds_to_decide, people, tools, rules } = report
  if (holds.opened + holds.decided + holds.expired === 0)
    return <Empty title="Nobody was asked anything">A longer time may have more.</Empty>
  return (
    <div className="grid grid-cols-1 gap-8">
      <Figures report={report} />
      <Section title="Over time">
        <BarPlot
          label="Opened and decided over time"
          series={['Opened', 'Decided']}
          bars={over_time.buckets.map(({ at, opened, decided }) => ({
            name: bucketName(at, over_time.bucket_seconds),
            values: [opened, decided],
          }))}
        />
      </Section>
      {seconds_to_decide && (
        <Section title="Time to decide">
          <BarPlot
            label="Decisions by the time that they took"
            series={['Decisions']}
            isEachNamed
            bars={seconds_to_decide.spread.map(({ up_to, count }) => ({
              name: up_to === null ? 'longer' : lengthName(up_to),
              values: [count],
            }))}
          />
        </Section>
      )}
      <LookTwice report={report} />
      {people.length > 0 && <PeopleTable people={people} time={over_time} />}
      <ToolTable tools={tools} time={over_time} />
      <Rules rules={rules} />
    </div>
  )
}

/** The numbers at a glance. */
function Figures({ report: { holds, seconds_to_decide: times } }: { readonly report: Report }): ReactElement {
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['Opened', holds.opened.toLocaleString('en')],
    ['Decided', holds.decided.toLocaleString('en')],
    ['Expired', holds.expired.toLocaleString('en')],
    ['Still open', holds.open.toLocaleString('en')],
    ['Median time to decide', times === null ? '–' : lengthName(times.median)],
    ['90% decided within', times === null ? '–' : lengthName(times.p90)],
  ]
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {figures.map(([name, value]) => (
        <div key={name} className="flex flex-col-reverse rounded-xl border border-line bg-card px-4 py-3 shadow-card">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-xl tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type Noteworthy = Report['expired_unseen']

const MOST_LINKS = 5

/** Holds that ask for a second look. Nothing is shown if there are none. */
function LookTwice({ report }: { readonly report: Report }): ReactElement | null {
  const all: readonly (readonly [what: string, found: Noteworthy])[] = [
    ['expired, and no person was shown them', report.expired_unseen],
    ['approved within 2 seconds of being shown', report.approved_within_2s],
    ['approved without their end in view', report.approved_not_to_the_end],
    ['approved by a person to whom Holdpoint did not show them', report.approved_unseen],
  ]
  const found = all.filter(([, { count }]) => count > 0)
  if (found.length === 0) return null
  return (
    <Section title="Look twice">
      <ul className="grid gap-3 rounded-xl border border-line bg-card p-4 shadow-card">
        {found.map(([what, { count, hold_ids }]) => (
          <li key={what}>
            <p>
              <strong className="font-semibold tabular-nums">{count.toLocaleString('en')}</strong> {what}
            </p>
            <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm">
              {hold_ids
                .slice(-MOST_LINKS)
                .toReversed()
                .map(id => (
                  <Link
                    key={id}
                    href={`/holds/${id}`}
                    className="py-1 font-mono text-accent text-xs underline-offset-4 hover:underline"
                  >
                    {id}
                  </Link>
                ))}
              {count > MOST_LINKS && <span className="py-1 text-muted text-xs">the newest of them</span>}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
