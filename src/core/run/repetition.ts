import { canonicalJson } from '../text/json.ts'
import type { ToolCall } from './tool-call.ts'

/** A text that is equal for equal calls: same name, same arguments as the model gave them. */
export function signatureOf({ name, arguments: args }: Pick<ToolCall, 'name' | 'arguments'>): string {
  return hashText(`${name} ${canonicalJson(args)}`)
}

/** A short hash, because a journal keeps many. 53 bits (cyrb53) are enough to distinguish the calls of one run. */
export function hashText(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 2654435761)
    two = Math.imul(two ^ unit, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36)
}

/**
 * The length of the shortest cycle that fills the last `window` of these calls at least twice, 1 if they are all the same;
 * `null` if there is none, or if there are fewer calls.
 */
export function cycleIn(calls: readonly string[], window: number): number | null {
  const last = calls.slice(-window)
  if (last.length < window) return null
  for (let length = 1; length * 2 <= window; length += 1) {
    if (last.every((call, index) => index < length || call === last[index - length])) return length
  }
  return null
}
