import { withHeldNumbers } from '../../core/plain/exact-json.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'

/**
 * P9: a message of a server, in which numbers that JavaScript cannot hold are texts of their digits. Only in results of tools:
 * in a schema, a text would be another bound.
 */
export function keptNumbers(message: string): string {
  const kept = withHeldNumbers(message)
  return kept !== message && isToolResult(message) ? kept : message
}

function isToolResult(message: string): boolean {
  try {
    const value: Json = JSON.parse(message)
    const result = isJsonObject(value) ? (value['result'] ?? null) : null
    return isJsonObject(result) && ('content' in result || 'structuredContent' in result)
  } catch {
    return false
  }
}
