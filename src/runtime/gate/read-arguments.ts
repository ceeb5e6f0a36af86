import { faultsText, type JsonFault, readExactly } from '../../core/plain/exact-json.ts'
import { takesText } from '../../core/plain/takes-text.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/text/json.ts'

/**
 * P9: the arguments as the model wrote them, and nothing else. A number that JavaScript cannot hold is the text of its
 * digits if the tool takes a text there. The whole text is left as it is if it is no JSON object, or says something that
 * no object can: the gate then refuses it to the model.
 */
export function readArguments(text: string, schema: JsonObject | null): JsonObject | string {
  // Providers send nothing at all for a call without arguments.
  if (text.trim() === '') return {}
  const { value, faults } = orNothing(text)
  if (!isJsonObject(value) || isTooDeep(value)) return text
  const mends = ({ kind, path }: JsonFault) => kind === 'number' && schema !== null && takesText(schema, path)
  if (!faults.every(mends)) return text
  for (const { path, source } of faults) put(value, path, source)
  return value
}

/** Why arguments that are still text cannot be used, as the model reads it. */
export function argumentsProblem(text: string): string {
  const { value, faults } = orNothing(text)
  if (!isJsonObject(value)) return 'the arguments are not a JSON object.'
  return faults.length === 0 ? 'the arguments are nested too deeply.' : faultsText(faults, 'arguments')
}

function orNothing(text: string): { readonly value: Json; readonly faults: readonly JsonFault[] } {
  try {
    return readExactly(text)
  } catch {
    return { value: null, faults: [] }
  }
}

/** In place: the value was read for this alone. */
function put(value: JsonObject, path: JsonFault['path'], source: string): void {
  const inner = path.slice(0, -1).reduce<Json | undefined>((at, key) => (at as JsonObject)[key], value)
  Object.assign(inner as object, { [path.at(-1) ?? '']: source })
}
