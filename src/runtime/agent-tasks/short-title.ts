const LONGEST = 80

/** Of what nobody gave a title: the beginning of its first line. */
export function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return [...line].slice(0, LONGEST).join('')
}
