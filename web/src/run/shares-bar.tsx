import type { ReactElement } from 'react'
import { lengthText } from './span-words.ts'
import type { TimeShares } from './where-time-went.ts'

const PARTS: Readonly<Record<keyof TimeShares, { readonly name: string; readonly colour: string }>> = {
  wait: { name: 'People', colour: 'bg-warn' },
  call: { name: 'Tools', colour: 'bg-good' },
  model: { name: 'Model', colour: 'bg-accent' },
  rest: { name: 'Nobody', colour: 'bg-strong-line' },
}

const WHOLE = 100

/** Who took the time of a run, as one bar. */
export function SharesBar({ shares }: { readonly shares: TimeShares }): ReactElement {
  const total = Math.max(
    Object.values(shares).reduce((sum, ms) => sum + ms, 0),
    1,
  )
  const parts = (Object.keys(PARTS) as (keyof TimeShares)[]).filter(part => shares[part] > 0)
  return (
    <section aria-label="Where the time went">
      <div className="flex h-3 gap-px overflow-hidden rounded-full bg-hover" aria-hidden="true">
        {parts.map(part => (
          <div
            key={part}
            className={`min-w-1 ${PARTS[part].colour}`}
            style={{ width: `${(shares[part] / total) * WHOLE}%` }}
          />
        ))}
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {parts.map(part => (
          <div key={part} className="flex items-baseline gap-2">
            <dt className="flex items-center gap-1.5 text-muted">
              <span aria-hidden="true" className={`size-2.5 rounded-xs ${PARTS[part].colour}`} />
              {PARTS[part].name}
            </dt>
            <dd className="font-medium tabular-nums">
              {lengthText(shares[part])}
              <span className="ml-1.5 font-normal text-muted">{percent(shares[part] / total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function percent(part: number): string {
  return part < 0.01 ? '<1%' : `${Math.round(part * WHOLE)}%`
}
