import type { ReactElement, ReactNode } from 'react'

interface DataTableProps {
  readonly head: readonly ReactNode[]
  readonly rows: readonly (readonly ReactNode[])[]
  /** Its name, for those who do not see it. */
  readonly label?: string
  /** True if the first column names its row, and the others are numbers. */
  readonly isOfNumbers?: boolean
}

/** With more columns, a phone shows each row as a list of its cells: nothing scrolls sideways. */
const MOST_ON_A_PHONE = 3

/** So few columns have room for a word each, next to one with a long text. */
const MOST_WITH_ROOM = 5

/** A table that fits a phone. Cells beyond the head are shown. */
export function DataTable({ head, rows, label, isOfNumbers = false }: DataTableProps): ReactElement {
  const columns = Math.max(head.length, ...rows.map(({ length }) => length))
  const isWide = columns > MOST_ON_A_PHONE
  const width = columns > MOST_WITH_ROOM ? '' : 'min-w-22'
  const look = `${width} ${isOfNumbers ? 'tabular-nums sm:not-first:text-right sm:first:font-medium' : ''}`
  return (
    <table
      aria-label={label}
      className={`w-full rounded-lg border border-line bg-card text-left text-sm ${isWide ? 'max-sm:grid' : ''}`}
    >
      <thead className={`text-xs ${isWide ? 'max-sm:sr-only' : ''}`}>
        <tr className="border-line border-b">
          {head.map((cell, place) => (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
              key={place}
              scope="col"
              className={`px-3 py-1.5 font-medium text-muted [overflow-wrap:anywhere] ${look}`}
            >
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={isWide ? 'max-sm:grid' : ''}>
        {rows.map((cells, row) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table that changes are drawn anew
            key={row}
            className={`border-line not-first:border-t ${isWide ? 'max-sm:grid max-sm:gap-1 max-sm:px-3 max-sm:py-2' : ''}`}
          >
            {cells.map((cell, place) => (
              <td
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                key={place}
                className={`align-top [overflow-wrap:anywhere] ${look} ${isWide ? 'max-sm:grid max-sm:grid-cols-[8rem_minmax(0,1fr)] max-sm:gap-3 sm:px-3 sm:py-1.5' : 'px-3 py-1.5'}`}
              >
                {isWide && (
                  <span aria-hidden="true" className="text-muted sm:hidden">
                    {head[place]}
                  </span>
                )}
                <span>{cell}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
