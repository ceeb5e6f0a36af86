import type { ReactElement } from 'react'
import type { Report } from './report.ts'
import { lengthName } from './words.ts'

/** The numbers at a glance. */
export function Figures({ report: { holds, seconds_to_decide: times } }: { readonly report: Report }): ReactElement {
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['Opened', holds.opened.toLocaleString('en')],
    ['Decided', holds.decided.toLocaleString('en')],
    ['Expired', holds.expired.toLocaleString('en')],
    ['Still open', holds.open.toLocaleString('en')],
    ['Half decided within', times === null ? '–' : lengthName(times.median)],
    ['Nine of ten within', times === null ? '–' : lengthName(times.p90)],
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
