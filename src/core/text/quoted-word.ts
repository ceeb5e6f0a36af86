/** Quotes a text as one word of a POSIX shell command: no shell reads anything else in it. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
