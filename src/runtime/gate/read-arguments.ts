import { faultsText, type ReadJson } from '../../core/plain/exact-json.ts'
import { readFitting } from '../../core/plain/read-fitting.ts'
import { isJsonObject, isTooDeep, type JsonObject } from '../../core/text/json.ts'

/**
 * P9: the arguments as the model wrote them, and nothing else. A number that JavaScript cannot hold is the text of its
 * digits if the tool takes a text there. The whole text is left as it is if it is no JSON object, or says something that
 * no object can: the gate then refuses it to the model.
 */
export function readArguments(text: string, schema: JsonObject | null): JsonObject | string {
  // Providers send nothing at all for a call without arguments.
  if (text.trim() === '') return {}
  const { value, faults } = orNothing(text, schema)
  return isJsonObject(value) && faults.length === 0 && !isTooDeep(value) ? value : text
}

/** Why arguments that are still text cannot be used, as the model reads it. */
export function argumentsProblem(text: string): string {
  const { value, faults } = orNothing(text, null)
  if (!isJsonObject(value)) return 'the arguments are not a JSON object.'
  return faults.length === 0 ? 'the arguments are nested too deeply.' : faultsText(faults, 'arguments')
}

function orNothing(text: string, schema: JsonObject | null): ReadJson {
  try {
    return readFitting(text, schema)
  } catch {
    return { value: null, faults: [] }
  }
}
