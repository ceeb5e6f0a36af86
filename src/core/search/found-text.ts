import type { Json } from '../text/json.ts'

/** Characters before and after the words. */
const AROUND = 80

/** The words as they were found, with the text around them. */
export interface FoundText {
  readonly before: string
  readonly found: string
  readonly after: string
}

/**
 * The first of the texts in `data` that has the words, in upper or lower case; `null` if none has. Names of fields do
 * not count.
 */
export function foundText(data: Json, words: string): FoundText | null {
  if (typeof data === 'string') return foundIn(data, words)
  if (typeof data !== 'object' || data === null) return null
  for (const value of Object.values(data)) {
    const found = foundText(value, words)
    if (found) return found
  }
  return null
}

function foundIn(text: string, words: string): FoundText | null {
  const at = text.search(new RegExp(words.replaceAll(SYNTAX, '\\$&'), 'iu'))
  if (at < 0) return null
  const end = at + words.length
  return {
    before: `${at > AROUND ? '…' : ''}${whole(text.slice(Math.max(at - AROUND, 0), at))}`,
    found: text.slice(at, end),
    after: `${whole(text.slice(end, end + AROUND))}${text.length > end + AROUND ? '…' : ''}`,
  }
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g

/** Without halves of a character at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '')
}
