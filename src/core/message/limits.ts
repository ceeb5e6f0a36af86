import { isJsonObject, type Json } from '../text/json.ts'

/** How much one message, or one result of a tool, may bring. */
export interface MessageLimits {
  readonly parts: number
  /** The limit of one part, or of a text. */
  readonly partBytes: number
  /** The limit of all parts together. */
  readonly totalBytes: number
}

const MB = 1024 * 1024

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = { parts: 20, partBytes: 5 * MB, totalBytes: 20 * MB }

const KEYS: Readonly<Record<string, keyof MessageLimits>> = {
  parts: 'parts',
  part_bytes: 'partBytes',
  total_bytes: 'totalBytes',
}

/**
 * Reads limits from a file or from code; camelCase keys are read as snake_case, and missing ones have their default.
 * @throws Error that names the fault.
 */
export function readMessageLimits(written: Json): MessageLimits {
  if (!isJsonObject(written)) throw new Error('message_limits must be an object')
  const entries = Object.entries(written).filter(([, value]) => value !== undefined)
  const limits = entries.map(([key, value]): [string, Json] => [limitOf(key), limit(key, value)])
  return { ...DEFAULT_MESSAGE_LIMITS, ...Object.fromEntries(limits) }
}

function limitOf(key: string): keyof MessageLimits {
  const found = Object.entries(KEYS).find(names => names.includes(key))
  if (!found) throw new Error(`message_limits.${key}: known keys are ${Object.keys(KEYS).join(', ')}`)
  return found[1]
}

function limit(key: string, value: Json): Json {
  if (Number.isSafeInteger(value) && Number(value) > 0) return value
  throw new Error(`message_limits.${key} must be a whole number from 1`)
}
