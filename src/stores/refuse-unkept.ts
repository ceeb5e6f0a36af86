import { unkeptCharacter } from '../core/text/kept-text.ts'
import { storeRefusals } from './store-refusals.ts'

/**
 * Plain texts in columns, such as names. Journals and other documents are JSON, which writes such a character as an escape, so
 * they keep it.
 * @throws RefusedError `store_text_refused`, with the name of the column
 */
export function refuseUnkept(sql: string, values: readonly unknown[]): void {
  for (let at = 0; at < values.length; at += 1) {
    const character = characterIn(values[at])
    if (character !== null) throw storeRefusals.textRefused(columnOf(sql, at + 1), character)
  }
}

function characterIn(value: unknown): string | null {
  if (typeof value === 'string') return unkeptCharacter(value)
  if (!Array.isArray(value)) return null
  for (const cell of value) {
    const character = characterIn(cell)
    if (character !== null) return character
  }
  return null
}

/** The column that the value of this number is for, counted from 1; `null` if the statement does not show it. */
function columnOf(sql: string, number: number): string | null {
  const places = sql.includes('$') ? sql : numbered(sql)
  return insertedColumn(places, number) ?? comparedColumn(places, number)
}

/** Every `?` as `$1`, `$2` …, and `?3` as `$3`. */
export function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll(/\?(\d*)/g, (_, given: string) => {
    number = given === '' ? number + 1 : Number(given)
    return `$${number}`
  })
}

function insertedColumn(sql: string, number: number): string | null {
  const [, columns, values] = /INSERT INTO \S+ \(([^)]*)\)\s+(?:VALUES \(|SELECT )([\s\S]*)/.exec(sql) ?? []
  const at = values?.split(',').findIndex(value => isPlace(value, number)) ?? -1
  return columns?.split(',')[at]?.trim() ?? null
}

function comparedColumn(sql: string, number: number): string | null {
  const compared = new RegExp(`(\\w+) (?:=|IN|>|<) (?:ANY\\()?(?:coalesce\\()?\\(?\\$${number}\\b`)
  return compared.exec(sql)?.[1] ?? null
}

function isPlace(value: string, number: number): boolean {
  return new RegExp(`^[\\s(]*(?:coalesce\\()?\\$${number}\\b`).test(value)
}
