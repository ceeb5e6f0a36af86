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

/** The first `length` units at most: no character is cut in two. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}
