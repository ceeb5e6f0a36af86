export type Colour = 'keyword' | 'string' | 'number' | 'comment' | 'name'

/** A place of a text that has a colour, in code units. */
export interface ColourSpan {
  readonly from: number
  readonly to: number
  readonly colour: Colour
}

/** The colours of a part of a text, from the start of the part. */
export function spansBetween(spans: readonly ColourSpan[], from: number, to: number): readonly ColourSpan[] {
  return spans
    .map(span => ({ from: Math.max(span.from, from) - from, to: Math.min(span.to, to) - from, colour: span.colour }))
    .filter(span => span.from < span.to)
}

/** The colours of each line of a text. */
export function spansByLine(text: string, spans: readonly ColourSpan[]): readonly (readonly ColourSpan[])[] {
  let start = 0
  let next = 0
  return text.split('\n').map(line => {
    const [from, to] = [start, start + line.length]
    start = to + 1
    while ((spans[next]?.to ?? NO_MORE) <= from) next += 1
    let end = next
    while ((spans[end]?.from ?? NO_MORE) < to) end += 1
    return spansBetween(spans.slice(next, end), from, to)
  })
}

const NO_MORE = Number.POSITIVE_INFINITY
