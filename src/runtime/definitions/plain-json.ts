import type { Json } from '../../core/text/json.ts'

/** The value as the journal gives it back. Foreign code may return a live object. @throws if it is no JSON. */
export function plainJson(value: Json): Json {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`${typeof value} is no JSON`)
  return JSON.parse(text)
}
