const LONGEST = 80

/** A title for a task without one: the beginning of its first line. */
export function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return [...line].slice(0, LONGEST).join('')
}
