/** The characters that no store keeps in a column: NUL, which PostgreSQL refuses, and half of a pair, which is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what it looks for.
const UNKEPT = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** The name of the first such character, as `U+0000`; `null` if a store keeps the text as it is. */
export function unkeptCharacter(text: string): string | null {
  if (text.isWellFormed() && !text.includes('\0')) return null
  const [found = '\0'] = text.match(UNKEPT) ?? []
  return `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Replaces such characters by a mark, for texts that no person chose, such as the answer of a server. */
export function keptText(text: string): string {
  return text.replaceAll(UNKEPT, '\ufffd')
}

/** The text with U+FFFD in place of each half of a pair: providers refuse a request that has one. */
export function wellFormedText(text: string): string {
  // The test is far cheaper than a copy, and nearly every text passes it.
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** The value with such texts alone, its keys too: the same value if it has none. Instances of classes are not looked into. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return wellFormedText(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return wellFormedList(value) as T
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype ? (wellFormedFields(value) as T) : value
}

function wellFormedList(list: readonly unknown[]): readonly unknown[] {
  const mended = list.map(wellFormed)
  return mended.every((inner, index) => inner === list[index]) ? list : mended
}

// `fromEntries` defines what it sets: a key `__proto__` stays a key.
function wellFormedFields(record: object): object {
  const entries = Object.entries(record)
  const mended = entries.map(([key, inner]): [string, unknown] => [wellFormedText(key), wellFormed(inner)])
  const isSame = mended.every(([key, inner], index) => key === entries[index]?.[0] && inner === entries[index]?.[1])
  return isSame ? record : Object.fromEntries(mended)
}

/** The first `length` units at most: no character is cut in two. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}
