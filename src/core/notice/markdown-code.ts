/** Text as code of Markdown, in which no mention, link, image or HTML is found. */

/** Code on one line. A carriage return alone would end a line of Markdown too. */
export function inlineCode(text: string): string {
  const tick = longerThanAny(text, 1)
  return `${tick} ${text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')} ${tick}`
}

/** Code on lines of its own. `language`: by which GitHub colours it. */
export function blockOfCode(text: string, language = ''): string {
  const fence = longerThanAny(text, 3)
  return `${fence}${language}\n${text}\n${fence}`
}

/** Backticks, more of them than in any run within. */
function longerThanAny(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  return '`'.repeat(Math.max(least, longest + 1))
}
