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

type Mark = ' ' | '-' | '+'

interface MarkedLine {
  readonly mark: Mark
  readonly line: string
}

/** A last line without its line break is told as `git diff` tells it. */
export function lineDiff(before: string, after: string): LineDiff {
  const marked = markedLines(linesOf(before), linesOf(after))
  const count = (mark: Mark) => marked.filter(each => each.mark === mark).length
  return { diff: hunksOf(marked).join(''), added: count('+'), removed: count('-') }
}

const NO_BREAK = '\n\\ No newline at end of file\n'

/** Each with its line break. */
function linesOf(text: string): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return lines.map(line => (line.endsWith('\n') ? line : `${line}${NO_BREAK}`))
}

function markedLines(before: readonly string[], after: readonly string[]): MarkedLine[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  const went = before.slice(head, before.length - tail)
  const came = after.slice(head, after.length - tail)
  return [
    ...marked(' ', before.slice(0, head)),
    ...(shortest(went, came) ?? [...marked('-', went), ...marked('+', came)]),
    ...marked(' ', before.slice(before.length - tail)),
  ]
}

function marked(mark: Mark, lines: readonly string[]): MarkedLine[] {
  return lines.map(line => ({ mark, line }))
}

/** For each diagonal `x - y` how far `x` got with so many changes (Myers, 1986). */
type Furthest = ReadonlyMap<number, number>

/** `null` if there are too many changes. */
function shortest(went: readonly string[], came: readonly string[]): MarkedLine[] | null {
  const trace: Furthest[] = []
  let furthest: Furthest = new Map([[1, 0]])
  for (let changes = 0; changes <= Math.min(MOST_CHANGES, went.length + came.length); changes += 1) {
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

/** A line came rather than went. */
function comesDown(furthest: Furthest, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1))
}

function at(furthest: Furthest, diagonal: number): number {
  return furthest.get(diagonal) ?? -1
}

/** Past the lines that both have. */
function slide(
  went: readonly string[],
  came: readonly string[],
  { x: from, diagonal }: { readonly x: number; readonly diagonal: number },
): number {
  let x = from
  while (x < went.length && x - diagonal < came.length && went[x] === came[x - diagonal]) x += 1
  return x
}

/** From the end of both to their start. */
function walkBack(went: readonly string[], came: readonly string[], trace: readonly Furthest[]): MarkedLine[] {
  const found: MarkedLine[] = []
  let [x, y] = [went.length, came.length]
  for (let changes = trace.length - 1; changes > 0; changes -= 1) {
    const furthest = trace[changes] as Furthest
    const down = comesDown(furthest, x - y, changes)
    const diagonal = x - y + (down ? 1 : -1)
    const from = at(furthest, diagonal)
    while (x > from && y > from - diagonal) {
      x -= 1
      y -= 1
      found.push({ mark: ' ', line: went[x] as string })
    }
    x = from
    y = from - diagonal
    found.push(down ? { mark: '+', line: came[y] as string } : { mark: '-', line: went[x] as string })
  }
  return [...marked(' ', went.slice(0, x)), ...found.reverse()]
}

function hunksOf(lines: readonly MarkedLine[]): string[] {
  const hunks: string[] = []
  let [from, to] = [-1, -1]
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return
    if (from === -1) from = Math.max(0, index - AROUND)
    else if (index - AROUND > to) {
      hunks.push(hunk(lines, from, to))
      from = index - AROUND
    }
    to = Math.min(lines.length, index + AROUND + 1)
  })
  return from === -1 ? [] : [...hunks, hunk(lines, from, to)]
}

function hunk(lines: readonly MarkedLine[], from: number, to: number): string {
  const shown = lines.slice(from, to)
  const place = (other: Mark): string => {
    const earlier = lines.slice(0, from).filter(({ mark }) => mark !== other).length
    const count = shown.filter(({ mark }) => mark !== other).length
    const first = count === 0 ? earlier : earlier + 1
    return count === 1 ? `${first}` : `${first},${count}`
  }
  return `@@ -${place('+')} +${place('-')} @@\n${shown.map(({ mark, line }) => `${mark}${line}`).join('')}`
}
