import type { Json, JsonObject } from '../api/documents.ts'
import { isObject } from './fields-of.ts'

/**
 * What a form starts with: the defaults of its schema. An object that may be left out is made only by a person.
 * `undefined` if there is nothing to start with.
 */
export function firstValue(schema: JsonObject | null): Json | undefined {
  if (schema === null) return undefined
  if (schema['default'] !== undefined) return schema['default']
  const properties = schema['properties']
  if (schema['type'] !== 'object' || !isObject(properties)) return undefined
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const members = Object.entries(properties).flatMap(([name, property]) => {
    const own = isObject(property) ? property : null
    const isMade = own?.['default'] !== undefined || required.includes(name)
    const value = isMade ? firstValue(own) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}
