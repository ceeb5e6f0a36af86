import { DEFAULT_MESSAGE_LIMITS, type MessageLimits } from '../../core/message/limits.ts'
import type { Content, ContentPart } from '../../core/message/part.ts'
import { type GivenMessage, readContent, readMessage } from '../../core/message/read-content.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** A message: a text, parts, or both (the text is first then). */
export type MessageContent =
  | { readonly text: string; readonly parts?: readonly ContentPart[] | undefined }
  | { readonly text?: string | undefined; readonly parts: readonly ContentPart[] }

type Limited = Pick<Runtime, 'messageLimits'>

/** @throws RefusedError `empty_message`, `invalid_message` or `message_too_large` */
export function messageContent(runtime: Limited, given: GivenMessage): Content {
  return readMessage(given, limitsOf(runtime))
}

/** Like `messageContent`, for content that is given as one value. */
export function inputContent(runtime: Limited, given: unknown): Content {
  return readContent(given, limitsOf(runtime))
}

export function limitsOf({ messageLimits = DEFAULT_MESSAGE_LIMITS }: Limited): MessageLimits {
  return messageLimits
}
