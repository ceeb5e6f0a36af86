/** How programs begin a signature, or an original below an answer that has no `>`. */
const ENDS: readonly RegExp[] = [
  /^-- ?$/,
  /^_{10,}$/,
  /^-{2,} ?(original message|forwarded message)/i,
  /^(from|von|de): .+@/i,
  /^(sent|get outlook) (from|for) /i,
]

/**
 * The words of a reply without what it quotes and without its signature. Words between and below quotations stay: an
 * approval with a condition below it is no approval (P1).
 */
export function ownWords(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const end = lines.findIndex(line => ENDS.some(ending => ending.test(line.trimEnd())))
  const kept = end < 0 ? lines : lines.slice(0, end)
  const dropped = attributions(kept)
  return kept
    .filter((line, index) => !isQuoted(line) && !dropped.has(index))
    .join('\n')
    .trim()
}

function isQuoted(line: string | undefined): boolean {
  return line?.startsWith('>') === true
}

/** The places of lines such as `On Monday, Holdpoint <holds@example.org> wrote:`, in any language. */
function attributions(lines: readonly string[]): ReadonlySet<number> {
  const places = lines.flatMap((line, index) =>
    isQuoted(line) && !isQuoted(lines[index - 1]) ? attributionAbove(lines, index) : [],
  )
  return new Set(places)
}

/** At most three lines, of which the last ends with a colon, and which name a sender and a time, or one of them. */
function attributionAbove(lines: readonly string[], quote: number): number[] {
  const last = lines[quote - 1]?.trim() === '' ? quote - 2 : quote - 1
  if (!lines[last]?.trimEnd().endsWith(':')) return []
  const runs = [1, 2, 3].map(count => lines.slice(Math.max(0, last + 1 - count), last + 1))
  const named = runs.find(run => HAS_SENDER.test(run.join(' ')) && HAS_TIME.test(run.join(' ')))
  const found = named ?? runs.find(run => HAS_SENDER.test(run.join(' ')) || HAS_TIME.test(run.join(' ')))
  return (found ?? []).map((_, index) => last - index)
}

const HAS_SENDER = /@/
const HAS_TIME = /\b\d{4}\b|\d{1,2}:\d{2}/
