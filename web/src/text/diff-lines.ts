/** The lines of a unified diff, with their numbers and with what changed within a line. */

export interface DiffLine {
  /** With its sign. */
  readonly line: string
  /** In the text after the change; of a removed line, in the text before it. `null` of a line that is in neither. */
  readonly number: number | null
  /** The line in three parts: what it shares with its counterpart, what changed, and what it shares again. */
  readonly parts: readonly [before: string, changed: string, after: string]
}

export function numberedLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n')
  const changes = changedWithin(lines)
  let next: Numbers = { was: 0, is: 0 }
  return lines.map((line, at) => {
    const here = next
    next = after(line, here)
    return { line, number: numberOf(line, here), parts: changes.get(at) ?? [line, '', ''] }
  })
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
function changedWithin(lines: readonly string[]): Map<number, DiffLine['parts']> {
  const parts = new Map<number, DiffLine['parts']>()
  for (let at = 0; at < lines.length; ) {
    const went = countWith(lines, at, '-')
    const came = countWith(lines, at + went, '+')
    for (let n = 0; went === came && n < went; n += 1) {
      const [one = '', other = ''] = [lines[at + n], lines[at + went + n]]
      const ends = sharedEnds(one.slice(1), other.slice(1))
      if (ends === null) continue
      parts.set(at + n, partsOf(one, ends))
      parts.set(at + went + n, partsOf(other, ends))
    }
    at += Math.max(1, went + came)
  }
  return parts
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

/** `null` if they share too little for the difference to say anything. */
function sharedEnds(one: string, other: string): Ends | null {
  const most = Math.min(one.length, other.length)
  let head = 0
  while (head < most && one[head] === other[head]) head += 1
  let tail = 0
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  return (head + tail) * 2 < most ? null : { head, tail }
}

function partsOf(line: string, { head, tail }: Ends): DiffLine['parts'] {
  const [from, to] = [head + 1, line.length - tail]
  return [line.slice(0, from), line.slice(from, to), line.slice(to)]
}
