import { isJsonObject, type Json } from '../text/json.ts'

/** How much one message, or one result of a tool, may bring. */
export interface MessageLimits {
  readonly parts: number
  /** Of one part. */
  readonly part_bytes: number
  /** Of all parts together. */
  readonly total_bytes: number
}

const MB = 1024 * 1024

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = { parts: 20, part_bytes: 5 * MB, total_bytes: 20 * MB }

/** Each has its default if it is left out. @throws Error that says what is wrong. */
export function readMessageLimits(written: Json): MessageLimits {
  if (!isJsonObject(written)) throw new Error('message_limits must be an object')
  for (const [key, value] of Object.entries(written)) {
    if (!Object.hasOwn(DEFAULT_MESSAGE_LIMITS, key))
      throw new Error(`message_limits.${key}: known keys are ${Object.keys(DEFAULT_MESSAGE_LIMITS).join(', ')}`)
    if (!Number.isSafeInteger(value) || Number(value) < 1)
      throw new Error(`message_limits.${key} must be a whole number from 1`)
  }
  return { ...DEFAULT_MESSAGE_LIMITS, ...(written as Partial<MessageLimits>) }
}
