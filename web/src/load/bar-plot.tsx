import type { ReactElement } from 'react'

export interface Bar {
  readonly name: string
  /** A value for each series. */
  readonly values: readonly number[]
}

interface BarPlotProps {
  /** The content of the plot, in words. */
  readonly label: string
  /** The names of one or two series. */
  readonly series: readonly string[]
  readonly bars: readonly Bar[]
  /** True if there is room for the name of each bar; otherwise the first and the last are named. */
  readonly isEachNamed?: boolean
}

const LOOKS: readonly string[] = ['bg-accent', 'bg-good']
const WHOLE = 100

/** Bars side by side, and the same as a table for those who do not see them. */
export function BarPlot({ label, series, bars, isEachNamed = false }: BarPlotProps): ReactElement {
  const most = Math.max(1, ...bars.flatMap(({ values }) => values))
  return (
    <figure className="rounded-xl border border-line bg-card p-4 shadow-card">
      <figcaption className="mb-3 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-muted text-xs">
        <span className="sr-only">{label}</span>
        {series.length > 1 && series.map((name, index) => <Key key={name} name={name} look={LOOKS[index] ?? ''} />)}
        <span className="ml-auto tabular-nums">at most {most.toLocaleString('en')}</span>
      </figcaption>
      <div aria-hidden="true" className="flex h-36 items-end gap-px border-line border-b">
        {bars.map(bar => (
          <Bars key={bar.name} bar={bar} series={series} most={most} />
        ))}
      </div>
      <Names bars={bars} isEachNamed={isEachNamed} />
      <Table label={label} series={series} bars={bars} />
    </figure>
  )
}

function Key({ name, look }: { readonly name: string; readonly look: string }): ReactElement {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden="true" className={`size-2.5 rounded-xs ${look}`} />
      {name}
    </span>
  )
}

interface BarsProps {
  readonly bar: Bar
  readonly series: readonly string[]
  readonly most: number
}

function Bars({ bar: { name, values }, series, most }: BarsProps): ReactElement {
  const words = series.map((each, index) => `${each}: ${values[index] ?? 0}`).join(', ')
  return (
    <div
      title={`${name}. ${words}`}
      className="flex h-full min-w-0 flex-1 items-end justify-center gap-px hover:bg-hover"
    >
      {series.map((each, index) => (
        <div
          key={each}
          className={`max-w-8 flex-1 rounded-t-sm ${LOOKS[index]}`}
          style={{ height: `${((values[index] ?? 0) / most) * WHOLE}%` }}
        />
      ))}
    </div>
  )
}

function Names({ bars, isEachNamed }: Pick<BarPlotProps, 'bars' | 'isEachNamed'>): ReactElement {
  const named = isEachNamed ? bars : bars.filter((_, index) => index === 0 || index === bars.length - 1)
  return (
    <div
      aria-hidden="true"
      className={`mt-1.5 flex gap-px text-[0.6875rem] text-muted sm:text-xs ${isEachNamed ? '' : 'justify-between'}`}
    >
      {named.map(({ name }) => (
        <span key={name} className={isEachNamed ? 'min-w-0 flex-1 text-center' : ''}>
          {name}
        </span>
      ))}
    </div>
  )
}

function Table({ label, series, bars }: Pick<BarPlotProps, 'label' | 'series' | 'bars'>): ReactElement {
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {series.map((each, index) => (
              <td key={each}>{values[index] ?? 0}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
