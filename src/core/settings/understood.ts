import { messageOf } from '../errors.ts'
import type { Json } from '../text/json.ts'

/** The parsed form of a setting; `null` if it was left out. @throws what `refusal` makes of the problem. */
export function understood<T>(
  written: unknown,
  read: (written: Json) => T,
  refusal: (problem: string) => Error,
): T | null {
  if (written === undefined) return null
  try {
    return read(written as Json)
  } catch (thrown) {
    throw refusal(messageOf(thrown))
  }
}
