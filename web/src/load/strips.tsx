import type { ReactElement } from 'react'
import { Visible } from '../text/visible.tsx'
import type { Report } from './report.ts'
import { bucketName } from './words.ts'

interface Strip {
  readonly name: string
  /** In the buckets of the report. */
  readonly counts: readonly number[]
}

interface StripsProps {
  /** The unit of the bars: `Decided by person, over time`. */
  readonly label: string
  readonly strips: readonly Strip[]
  readonly time: Report['over_time']
}

const MOST_STRIPS = 8
const WHOLE = 100

/** A row of bars for each name. All rows have the same scale, so that they can be compared. */
export function Strips({ label, strips, time }: StripsProps): ReactElement {
  const shown = strips.slice(0, MOST_STRIPS)
  const most = Math.max(1, ...shown.flatMap(({ counts }) => counts))
  const names = time.buckets.map(({ at }) => bucketName(at, time.bucket_seconds))
  return (
    <figure className="mb-3 rounded-xl border border-line bg-card p-4 shadow-card">
      <figcaption className="mb-2 flex items-baseline gap-4 text-muted text-xs">
        <span>{label}</span>
        <span className="ml-auto whitespace-nowrap tabular-nums">at most {most.toLocaleString('en')}</span>
      </figcaption>
      <ul className="grid gap-x-4 gap-y-2 sm:grid-cols-[minmax(6rem,12rem)_1fr]">
        {shown.map(strip => (
          <Row key={strip.name} strip={strip} names={names} most={most} />
        ))}
      </ul>
      <p
        aria-hidden="true"
        className="mt-1.5 flex justify-between text-[0.6875rem] text-muted sm:ml-[13rem] sm:text-xs"
      >
        <span>{names[0]}</span>
        <span>{names.at(-1)}</span>
      </p>
      {strips.length > shown.length && (
        <p className="mt-2 text-muted text-xs">And {strips.length - shown.length} more, in the table.</p>
      )}
    </figure>
  )
}

interface RowProps {
  readonly strip: Strip
  readonly names: readonly string[]
  readonly most: number
}

function Row({ strip: { name, counts }, names, most }: RowProps): ReactElement {
  const words = counts.flatMap((count, index) => (count === 0 ? [] : [`${names[index]}: ${count}`])).join(', ')
  return (
    <li className="grid items-end gap-x-4 sm:col-span-2 sm:grid-cols-subgrid">
      <span className="truncate text-sm" title={name}>
        <Visible text={name} />
      </span>
      <span className="sr-only">{words}</span>
      <span aria-hidden="true" className="flex h-8 items-end gap-px border-line border-b">
        {counts.map((count, index) => (
          <span
            key={names[index]}
            title={`${names[index]}: ${count}`}
            className="flex h-full min-w-0 flex-1 items-end justify-center hover:bg-hover"
          >
            <span className="max-w-8 flex-1 rounded-t-xs bg-accent" style={{ height: `${(count / most) * WHOLE}%` }} />
          </span>
        ))}
      </span>
    </li>
  )
}
