import { visibleLine } from '../../core/text/visible-text.ts'
import type { Io } from '../process/io.ts'
import { type Screen, type Style, screenFor } from './screen.ts'
import { type Cell, type Column, plainTable, screenTable } from './table.ts'

/** A value of a list. `visible`: text that hides nothing already, and stays as it is. */
export type Value = string | number | null | undefined | { readonly visible: string }

export interface ListColumn<Item> extends Column {
  /** `now`: milliseconds since 1970. */
  readonly value: (item: Item, now: number) => Value
  readonly style?: Style | ((item: Item, now: number) => Style | undefined)
}

/** The columns of one kind of thing. */
export interface List<Item> {
  /** The text in place of no rows. Default: the heads alone. */
  readonly empty?: string
  /** Full values by column heads, for programs and pipes. Nothing is cut, and times are ISO times. */
  readonly plain: Readonly<Record<string, (item: Item) => Value>>
  /** Columns for people in a terminal. */
  readonly screen: readonly ListColumn<Item>[]
  /** A line of its own below the values, in a terminal. */
  readonly below?: (item: Item) => string
}

/** The text for people: fitted to a terminal, otherwise in full columns. */
export function listText<Item>(
  host: { readonly env: Readonly<Record<string, string | undefined>>; readonly io: Io },
  items: readonly Item[],
  list: List<Item>,
): string {
  if (items.length === 0 && list.empty !== undefined) return list.empty
  const screen = screenFor(host)
  return screen ? screenList(items, list, screen) : plainList(items, list)
}

export function plainList<Item>(items: readonly Item[], { plain }: Pick<List<Item>, 'plain'>): string {
  const values = Object.values(plain)
  return plainTable(
    Object.keys(plain),
    items.map(item => values.map(value => textOf(value(item)))),
  )
}

export function screenList<Item>(
  items: readonly Item[],
  { screen: columns, below }: Pick<List<Item>, 'screen' | 'below'>,
  screen: Screen,
): string {
  const rows = items.map(item => ({
    cells: columns.map((column): Cell => {
      const text = textOf(column.value(item, screen.now))
      const style = typeof column.style === 'function' ? column.style(item, screen.now) : column.style
      return style === undefined ? text : { text, style }
    }),
    ...(below && { below: below(item) }),
  }))
  return screenTable(columns, rows, screen)
}

function textOf(value: Value): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? value.visible : visibleLine(String(value))
}
