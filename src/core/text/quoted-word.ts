/** One word of a POSIX shell command, in which no shell reads anything else. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
