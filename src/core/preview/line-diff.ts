/** Two texts, line by line: the shortest difference that is found in reasonable time, as hunks of a unified diff. */

/** A difference in lines. `diff` is empty if there is none. */
export interface LineDiff {
  readonly diff: string
  readonly added: number
  readonly removed: number
}

/** Lines around a change. */
const AROUND = 3
/** Beyond so many changed lines the shortest difference is not looked for: its time grows with their square. */
const MOST_CHANGES = 500
/** Lines that may be compared: in long texts fewer changes are looked for, so that no text takes seconds. */
const MOST_STEPS = 20_000_000
/** Characters from the first change to the last, in each text. */
const MOST_TEXT = 4 * 1024 * 1024

type Mark = ' ' | '-' | '+'

interface MarkedLine {
  readonly mark: Mark
  readonly line: string
}

/** A last line without its line break is marked like in `git diff`. `null` if too much lies between the changes. */
export function lineDiff(before: string, after: string): LineDiff | null {
  if (before === after) return { diff: '', added: 0, removed: 0 }
  const { head, tail } = commonEnds(before, after)
  const [went, came] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  if (Math.max(went.length, came.length) > MOST_TEXT) return null
  const above = lastLines(before.slice(0, head))
  const below = firstLines(before.slice(before.length - tail))
  const marked = [...unchanged(above), ...markedLines(linesOf(went), linesOf(came)), ...unchanged(below)]
  const count = (mark: Mark) => marked.filter(each => each.mark === mark).length
  const earlier = lineBreaks(before, head) - above.length
  return { diff: hunksOf(marked, earlier).join(''), added: count('+'), removed: count('-') }
}

const NO_BREAK = '\n\\ No newline at end of file\n'

/** The characters of whole lines that both have at their start and at their end. */
function commonEnds(before: string, after: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same += 1
  const head = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1
  let end = 0
  while (end < most - head && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end += 1
  const lineBreak = before.indexOf('\n', before.length - end)
  return { head, tail: lineBreak < 0 || end === 0 ? 0 : before.length - lineBreak - 1 }
}

function lineBreaks(text: string, until: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < until; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function lastLines(text: string): string[] {
  let from = text.length
  for (let count = 0; count < AROUND && from > 0; count += 1) from = from < 2 ? 0 : text.lastIndexOf('\n', from - 2) + 1
  return linesOf(text.slice(from))
}

function firstLines(text: string): string[] {
  let to = 0
  for (let count = 0; count < AROUND && to < text.length; count += 1) to = text.indexOf('\n', to) + 1 || text.length
  return linesOf(text.slice(0, to))
}

/** The lines, each with its line break. */
function linesOf(text: string): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return lines.map(line => (line.endsWith('\n') ? line : `${line}${NO_BREAK}`))
}

function markedLines(before: readonly string[], after: readonly string[]): MarkedLine[] {
  return shortest(before, after) ?? [...marked('-', before), ...marked('+', after)]
}

function unchanged(lines: readonly string[]): MarkedLine[] {
  return marked(' ', lines)
}

function marked(mark: Mark, lines: readonly string[]): MarkedLine[] {
  return lines.map(line => ({ mark, line }))
}

/** The furthest `x` on each diagonal `x - y` after a number of changes (Myers, 1986). */
type Furthest = ReadonlyMap<number, number>

/** `null` if there are too many changes. */
function shortest(went: readonly string[], came: readonly string[]): MarkedLine[] | null {
  const trace: Furthest[] = []
  let furthest: Furthest = new Map([[1, 0]])
  const lines = went.length + came.length
  const most = Math.min(MOST_CHANGES, lines, Math.floor(MOST_STEPS / lines))
  for (let changes = 0; changes <= most; changes += 1) {
    trace.push(furthest)
    const next = new Map(furthest)
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const x = slide(went, came, { x: stepTo(furthest, diagonal, changes), diagonal })
      next.set(diagonal, x)
      if (x >= went.length && x - diagonal >= came.length) return walkBack(went, came, trace)
    }
    furthest = next
  }
  return null
}

function stepTo(furthest: Furthest, diagonal: number, changes: number): number {
  return comesDown(furthest, diagonal, changes) ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1
}

/** True if the next change is an added line, not a removed one. */
function comesDown(furthest: Furthest, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1))
}

function at(furthest: Furthest, diagonal: number): number {
  return furthest.get(diagonal) ?? -1
}

/** Moves past the lines that both have. */
function slide(
  went: readonly string[],
  came: readonly string[],
  { x: from, diagonal }: { readonly x: number; readonly diagonal: number },
): number {
  let x = from
  while (x < went.length && x - diagonal < came.length && went[x] === came[x - diagonal]) x += 1
  return x
}

/** Walks from the end of both to their start. */
function walkBack(went: readonly string[], came: readonly string[], trace: readonly Furthest[]): MarkedLine[] {
  const lines: MarkedLine[] = []
  let [x, y] = [went.length, came.length]
  for (let changes = trace.length - 1; changes > 0; changes -= 1) {
    const furthest = trace[changes] as Furthest
    const down = comesDown(furthest, x - y, changes)
    const diagonal = x - y + (down ? 1 : -1)
    const from = at(furthest, diagonal)
    while (x > from && y > from - diagonal) {
      x -= 1
      y -= 1
      lines.push({ mark: ' ', line: went[x] as string })
    }
    x = from
    y = from - diagonal
    lines.push(down ? { mark: '+', line: came[y] as string } : { mark: '-', line: went[x] as string })
  }
  return [...marked(' ', went.slice(0, x)), ...lines.reverse()]
}

/** `earlier`: lines above, which both texts have. */
function hunksOf(lines: readonly MarkedLine[], earlier: number): string[] {
  const hunks: string[] = []
  const counter = new LineCounter(lines, earlier)
  let [from, to] = [-1, -1]
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return
    if (from === -1) from = Math.max(0, index - AROUND)
    else if (index - AROUND > to) {
      hunks.push(counter.hunk(from, to))
      from = index - AROUND
    }
    to = Math.min(lines.length, index + AROUND + 1)
  })
  return from === -1 ? [] : [...hunks, counter.hunk(from, to)]
}

/** Passes the lines once, and knows the number of each in both texts. */
class LineCounter {
  readonly #lines: readonly MarkedLine[]
  #at = 0
  #before: number
  #after: number

  constructor(lines: readonly MarkedLine[], earlier: number) {
    this.#lines = lines
    this.#before = earlier
    this.#after = earlier
  }

  hunk(from: number, to: number): string {
    this.#count(from)
    const [before, after] = [this.#before, this.#after]
    this.#count(to)
    const shown = this.#lines.slice(from, to).map(({ mark, line }) => `${mark}${line}`)
    return `@@ -${place(before, this.#before)} +${place(after, this.#after)} @@\n${shown.join('')}`
  }

  #count(until: number): void {
    for (; this.#at < until; this.#at += 1) {
      const mark = this.#lines[this.#at]?.mark
      if (mark !== '+') this.#before += 1
      if (mark !== '-') this.#after += 1
    }
  }
}

function place(earlier: number, until: number): string {
  const count = until - earlier
  const first = count === 0 ? earlier : earlier + 1
  return count === 1 ? `${first}` : `${first},${count}`
}
