/** True if `pattern` covers the whole of `text`. `*` stands for any run of characters, everything else for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  const tail = rest.pop() ?? ''
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/**
 * P1: what a permissive pattern covers of the words of a command. As `matchesGlob` on the words with spaces between them,
 * but a star in a path or an address (`docs/*`) stands for text of one word: no further operand or option hides in it.
 */
export function matchesWords(pattern: string, words: readonly string[]): boolean {
  const text = words.join(' ')
  if (!matchesGlob(pattern, text)) return false
  const isWithin = starsWithinWord(pattern)
  return isWithin.size === 0 || matchesApart(pattern, text, { isWithin, borders: bordersOf(words) })
}

interface Apart {
  /** Where in the pattern a star stands for text of one word. */
  readonly isWithin: ReadonlySet<number>
  /** Where in the text one word ends; a space within quotes is none. */
  readonly borders: ReadonlySet<number>
}

function starsWithinWord(pattern: string): ReadonlySet<number> {
  const found = new Set<number>()
  let start = 0
  for (const word of pattern.split(' ')) {
    const stars = word.includes('/') ? [...word.matchAll(/\*/g)] : []
    for (const { index } of stars) found.add(start + index)
    start += word.length + 1
  }
  return found
}

function bordersOf(words: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  let end = -1
  for (const word of words) {
    end += word.length + 1
    found.add(end)
  }
  return found
}

/** Keeps every place of the pattern to which the text so far leads: many stars take no longer than they must. */
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

/** A star may stand for no text at all. */
function behindStars(pattern: string, places: readonly number[]): ReadonlySet<number> {
  const all = new Set(places)
  for (const place of all) if (pattern[place] === '*') all.add(place + 1)
  return all
}
