/**
 * A file keeps its line ends and its byte order mark, however a call writes them: models write `\n`, and no mark. Which
 * line end a new line gets is that of the line where it comes in.
 */

const MARK = String.fromCodePoint(0xfeff)

export interface Place {
  readonly start: number
  readonly end: number
  /** False if its line ends differ from those of the text that was looked for. */
  readonly isExact: boolean
}

/** `content` as it replaces all of `before`. If lines of `before` end in both ways, or `content` has `\r\n`, it is as given. */
export function asWholeOf(before: string, content: string): string {
  const isCrlf = before.includes('\r\n') && !/(?<!\r)\n/.test(before)
  const text = isCrlf && !content.includes('\r\n') ? toCrlf(content) : content
  return before.startsWith(MARK) && !text.startsWith(MARK) ? MARK + text : text
}

/** Where `wanted` is, with the line ends of the file. If it is somewhere exactly as written, only there. */
export function placesOf(text: string, wanted: string): readonly Place[] {
  const places = mapped(text, flatPlaces(toLf(text), toLf(wanted))).map(([start, end]) => {
    return { start, end, isExact: text.slice(start, end) === wanted }
  })
  const exact = places.filter(({ isExact }) => isExact)
  return exact.length > 0 ? exact : places
}

/** What comes to each of these ascending places of `text`. */
export function replacements(text: string, places: readonly Place[], given: string): readonly string[] {
  const [crlf, lf] = [toCrlf(given), toLf(given)]
  const lastEnd = text.lastIndexOf('\n')
  let lineEnd = -1
  return places.map(place => {
    if (lineEnd < place.start && place.start <= lastEnd) lineEnd = text.indexOf('\n', place.start)
    const at = place.start <= lastEnd ? lineEnd : lastEnd
    const isCrlf = text[at - 1] === '\r'
    return keepingMark(text, place, isCrlf ? crlf : place.isExact ? given : lf)
  })
}

function keepingMark(text: string, { start }: Place, replacement: string): string {
  if (!text.startsWith(MARK)) return replacement
  const hasMark = replacement.startsWith(MARK)
  if (start === 0) return hasMark ? replacement : MARK + replacement
  return start === 1 && hasMark ? replacement.slice(1) : replacement
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

type Range = readonly [start: number, end: number]

function flatPlaces(flat: string, wanted: string): readonly Range[] {
  const found: Range[] = []
  for (let at = flat.indexOf(wanted); at >= 0; at = flat.indexOf(wanted, at + wanted.length)) {
    found.push([at, at + wanted.length])
  }
  return found
}

/** Ranges of the text with `\n` alone, as ranges of `text`. A line end at either end of a range is whole. */
function mapped(text: string, ranges: readonly Range[]): readonly Range[] {
  let crlf = text.indexOf('\r\n')
  let dropped = 0
  const original = (at: number) => {
    while (crlf >= 0 && crlf - dropped < at) {
      dropped += 1
      crlf = text.indexOf('\r\n', crlf + 2)
    }
    return at + dropped
  }
  return ranges.map(([start, end]) => [original(start), original(end)])
}
