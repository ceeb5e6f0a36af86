import type { MaybeUnreadable } from '../../../core/unreadable.ts'
import { type Cell, DAMAGED } from './cells.ts'

export type Row = Readonly<Record<string, unknown>>

/** The columns of a kind of row, and what each may hold. */
export type Cells<T> = { readonly [K in keyof T]: Cell<T[K]> }

/**
 * The only way from a row to its values: every row kind has its table of cells, so one that was damaged is named, and
 * never thrown at who reads a list.
 */
export function decodeRow<T extends object>(cells: Cells<T>, row: Row): T & MaybeUnreadable {
  const values: Record<string, unknown> = {}
  let problems: { readonly column: string; readonly must: string }[] | null = null
  for (const column in cells) {
    const { read, instead, must } = cells[column]
    const value = read(row[column])
    values[column] = value === DAMAGED ? instead : value
    if (value === DAMAGED) problems = [...(problems ?? []), { column, must }]
  }
  return (problems === null ? values : { ...values, unreadable: unreadable(problems) }) as T & MaybeUnreadable
}

function unreadable(problems: readonly { readonly column: string; readonly must: string }[]) {
  return {
    columns: problems.map(({ column }) => column),
    problem: problems.map(({ column, must }) => `its ${column} is not ${must}`).join(', '),
  }
}

/** `unreadable` of a decoded row, to spread into what is made of it. */
export function damageOf({ unreadable: found }: MaybeUnreadable): MaybeUnreadable {
  return found ? { unreadable: found } : {}
}
