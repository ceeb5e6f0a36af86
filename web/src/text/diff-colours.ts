import { type ColourSpan, spansByLine } from './colours/colour-span.ts'
import { linesOf } from './diff-lines.ts'

export type LineColours = readonly (readonly ColourSpan[])[]

/** Of each line of a diff, with its sign. A hunk is read twice: as the text before the change, and as the one after it. */
export function diffColours(diff: string, highlight: (text: string) => readonly ColourSpan[]): LineColours {
  const lines = linesOf(diff)
  const colours: (readonly ColourSpan[])[] = lines.map(() => [])
  const signs = lines.map(line => line[0] ?? '')
  for (const hunk of hunksOf(signs)) {
    for (const sides of ['- ', '+ ']) {
      const side = hunk.filter(at => sides.includes(signs[at] ?? ''))
      const text = side.map(at => lines[at]?.slice(1)).join('\n')
      for (const [place, spans] of spansByLine(text, highlight(text)).entries())
        colours[side[place] ?? 0] = spans.map(({ from, to, colour }) => ({ from: from + 1, to: to + 1, colour }))
    }
  }
  return colours
}

/** The places of the lines of each hunk. A diff that begins without a head is a hunk too. */
function hunksOf(signs: readonly string[]): readonly (readonly number[])[] {
  const hunks: number[][] = [[]]
  for (const [at, sign] of signs.entries()) {
    if (sign === '@') hunks.push([])
    else if (sign === ' ' || sign === '+' || sign === '-') hunks.at(-1)?.push(at)
  }
  return hunks.filter(hunk => hunk.length > 0)
}
