export interface Secrets {
  /** Global, and with indices. */
  readonly patterns: readonly RegExp[]
  /** Texts that are secret wherever they are; none is empty. */
  readonly values: readonly string[]
  /** The text that replaces a secret. A secret inside of it does not count. */
  readonly mark: string
}

/** Half open: `end` is the first place that is not in it. */
interface Span {
  readonly start: number
  readonly end: number
}

/** A removal may join two texts that then read as a secret. That seldom happens more than once. */
const MOST_PASSES = 8

/** Returns the same text if it has no secret. Otherwise a redacted one, which stays the same if redacted again. */
export function redactText(text: string, secrets: Secrets): string {
  let redacted = text
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const next = redactOnce(redacted, secrets)
    if (next === redacted) break
    redacted = next
  }
  return redacted
}

/** All secrets are looked for in the text as it is: one that overlaps another is not hidden by it. */
function redactOnce(text: string, { patterns, values, mark }: Secrets): string {
  const found = [
    ...patterns.flatMap(pattern => matchesOf(pattern, text)),
    ...values.flatMap(value => placesOf(value, text)),
  ]
  if (found.length === 0) return text
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of united([...found, ...placesOf(mark, text)])) {
    pieces.push(text.slice(from, start), mark)
    from = end
  }
  return pieces.join('') + text.slice(from)
}

function matchesOf(pattern: RegExp, text: string): Span[] {
  return [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const [start, end] = indices?.groups?.['secret'] ?? indices?.[0] ?? [0, 0]
    return end > start ? [{ start, end }] : []
  })
}

function placesOf(wanted: string, text: string): Span[] {
  const spans: Span[] = []
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + wanted.length)) {
    spans.push({ start, end: start + wanted.length })
  }
  return spans
}

/** In order, those that overlap as one. */
function united(spans: readonly Span[]): readonly Span[] {
  const whole: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = whole.at(-1)
    if (last && span.start < last.end)
      whole[whole.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else whole.push(span)
  }
  return whole
}
