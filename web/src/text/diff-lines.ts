/** The lines of a unified diff, with their numbers and with what changed within a line. */

export interface DiffLine {
  /** With its sign. */
  readonly line: string
  /** In the text after the change; of a removed line, in the text before it. `null` of a line that is in neither. */
  readonly number: number | null
  /** What differs from its counterpart, in code units of the line. `null` if it is new as a whole, or as it was. */
  readonly changed: { readonly from: number; readonly to: number } | null
}

export function numberedLines(diff: string): readonly DiffLine[] {
  const lines = linesOf(diff)
  const changes = changedWithin(lines)
  let next: Numbers = { was: 0, is: 0 }
  return lines.map((line, at) => {
    const here = next
    next = after(line, here)
    return { line, number: numberOf(line, here), changed: changes.get(at) ?? null }
  })
}

/** With their signs. */
export function linesOf(diff: string): readonly string[] {
  return diff.replace(/\n$/, '').split('\n')
}

/** The numbers of the next line in both texts. */
interface Numbers {
  readonly was: number
  readonly is: number
}

function numberOf(line: string, { was, is }: Numbers): number | null {
  if (line.startsWith('-')) return was
  return /^[ +]/.test(line) ? is : null
}

function after(line: string, { was, is }: Numbers): Numbers {
  const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
  if (hunk) return { was: Number(hunk[1]), is: Number(hunk[2]) }
  return { was: was + Number(/^[ -]/.test(line)), is: is + Number(/^[ +]/.test(line)) }
}

/** Lines that came in place of as many others are compared one by one. */
function changedWithin(lines: readonly string[]): Map<number, DiffLine['changed']> {
  const changes = new Map<number, DiffLine['changed']>()
  for (let at = 0; at < lines.length; ) {
    const went = countWith(lines, at, '-')
    const came = countWith(lines, at + went, '+')
    for (let n = 0; went === came && n < went; n += 1) {
      const [one = '', other = ''] = [lines[at + n], lines[at + went + n]]
      const ends = sharedEnds(one.slice(1), other.slice(1))
      if (ends === null) continue
      changes.set(at + n, between(one, ends))
      changes.set(at + went + n, between(other, ends))
    }
    at += Math.max(1, went + came)
  }
  return changes
}

function countWith(lines: readonly string[], from: number, sign: string): number {
  let count = 0
  while (lines[from + count]?.startsWith(sign)) count += 1
  return count
}

interface Ends {
  readonly head: number
  readonly tail: number
}

/** `null` if they share too little for the difference to say anything. No word, number or character is cut in two. */
function sharedEnds(one: string, other: string): Ends | null {
  const most = Math.min(one.length, other.length)
  let head = 0
  while (head < most && one[head] === other[head]) head += 1
  let tail = 0
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  if ((head + tail) * 2 < most) return null
  if (most > LONGEST_LINE) return { head, tail }
  const isCutAtHead = () => [one, other].some(text => isWithin(text, head))
  while (head > 0 && isCutAtHead()) head -= 1
  const isCutAtTail = () => [one, other].some(text => isWithin(text, text.length - tail))
  while (tail > 0 && isCutAtTail()) tail -= 1
  return { head, tail }
}

/** In code units. Words of longer lines are not looked for: programs wrote them, and a word may be the whole line. */
const LONGEST_LINE = 2_000

/** True of a place between two letters or digits, or in a character of two code units. */
function isWithin(text: string, place: number): boolean {
  const around = text.slice(Math.max(0, place - 1), place + 1)
  return /^[\p{L}\p{M}\p{N}_]{2}$/u.test(around) || /^[\ud800-\udbff][\udc00-\udfff]$/.test(around)
}

function between(line: string, { head, tail }: Ends): DiffLine['changed'] {
  const [from, to] = [head + 1, line.length - tail]
  return from < to ? { from, to } : null
}
