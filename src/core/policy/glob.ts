/** True if `pattern` covers the whole of `text`. `*` matches any run of characters, everything else itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  const tail = rest.pop() ?? ''
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let at = head.length
  for (const part of rest) {
    const ends = text.indexOf(part, at)
    if (ends < 0 || ends + part.length > end) return false
    at = ends + part.length
  }
  return true
}

/**
 * P1: true if a permissive pattern covers the words of a command. Matches like `matchesGlob` on the words with spaces
 * between them, but a star in a path or an address (`docs/*`) matches text of one word: no further operand or option
 * hides in it.
 */
export function matchesWords(pattern: string, words: readonly string[]): boolean {
  const text = words.join(' ')
  if (!matchesGlob(pattern, text)) return false
  const isWithin = starsWithinWord(pattern)
  return isWithin.size === 0 || matchesApart(pattern, text, { isWithin, borders: bordersOf(words) })
}

interface Apart {
  /** Positions in the pattern of stars that match text of one word. */
  readonly isWithin: ReadonlySet<number>
  /** Positions in the text at which one word ends; a space within quotes is none. */
  readonly borders: ReadonlySet<number>
}

function starsWithinWord(pattern: string): ReadonlySet<number> {
  const ends = new Set<number>()
  let start = 0
  for (const word of pattern.split(' ')) {
    const stars = word.includes('/') ? [...word.matchAll(/\*/g)] : []
    for (const { index } of stars) ends.add(start + index)
    start += word.length + 1
  }
  return ends
}

function bordersOf(words: readonly string[]): ReadonlySet<number> {
  const ends = new Set<number>()
  let end = -1
  for (const word of words) {
    end += word.length + 1
    ends.add(end)
  }
  return ends
}

/** Keeps every position of the pattern that the text so far reaches: many stars take no longer than they must. */
function matchesApart(pattern: string, text: string, { isWithin, borders }: Apart): boolean {
  let reached = behindStars(pattern, [0])
  for (let at = 0; at < text.length && reached.size > 0; at++) {
    const isKept = (place: number) => pattern[place] === '*' && !(isWithin.has(place) && borders.has(at))
    const isRead = (place: number) => pattern[place] !== '*' && pattern[place] === text[at]
    const places = [...reached]
    reached = behindStars(pattern, [...places.filter(isKept), ...places.filter(isRead).map(place => place + 1)])
  }
  return reached.has(pattern.length)
}

/** Adds the positions after stars: a star may match no text at all. */
function behindStars(pattern: string, places: readonly number[]): ReadonlySet<number> {
  const all = new Set(places)
  for (const place of all) if (pattern[place] === '*') all.add(place + 1)
  return all
}
