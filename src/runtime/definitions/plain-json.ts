import type { Json } from '../../core/text/json.ts'

/** As the journal gives it back. What somebody's code returns may be a live object. @throws where it is no JSON. */
export function plainJson(value: Json): Json {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`${typeof value} is no JSON`)
  return JSON.parse(text)
}
