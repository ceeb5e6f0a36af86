import type { Json, JsonObject } from '../text/json.ts'
import { type JsonFault, type ReadJson, readExactly } from './exact-json.ts'
import { takesText } from './takes-text.ts'

/** As `readExactly`, but a number that JavaScript cannot hold is the text of its digits where the schema takes a text. */
export function readFitting(text: string, schema: JsonObject | null): ReadJson {
  const { value, faults } = readExactly(text)
  const mends = ({ kind, path }: JsonFault) => kind === 'number' && schema !== null && takesText(schema, path)
  // Other faults may have moved the places of these.
  if (!faults.every(mends)) return { value, faults }
  return { value: faults.reduce(put, value), faults: [] }
}

/** In place: the value was read for this alone. */
function put(value: Json, { path, source }: JsonFault): Json {
  const key = path.at(-1)
  if (key === undefined) return source
  const inner = path.slice(0, -1).reduce<Json | undefined>((at, each) => (at as JsonObject)[each], value)
  Object.assign(inner as object, { [key]: source })
  return value
}
