/** How programs begin a signature, or an original below an answer that has no `>`. */
const ENDS: readonly RegExp[] = [
  /^-- ?$/,
  /^_{10,}$/,
  /^-{2,} ?(original|forwarded|reply) (message|appointment)/i,
  /^-{2,} ?(urspr\u00fcngliche|weitergeleitete) nachricht/i,
  /^-{2,} ?(message d.origine|message transf\u00e9r\u00e9|mensaje original|messaggio originale|mensagem original)/i,
  /^\*?(from|von|de|da|van|fr\u00e5n|fra|od) ?:\*? .+@/i,
  /^(sent from (my|outlook|yahoo|proton|mail)|get outlook for|sent with) /i,
  /^(von meinem .+ gesendet|gesendet (mit|von) (der|meinem|outlook)|envoy\u00e9 (de|depuis) mon|enviado (desde|do) (mi|meu)|inviato da) ?/i,
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
  return line !== undefined && /^ ?>/.test(line)
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
  if (isOurs(lines[last] ?? '')) return [last]
  const named = runs.find(run => HAS_SENDER.test(run.join(' ')) && HAS_TIME.test(run.join(' ')))
  const found = named ?? runs.find(run => HAS_SENDER.test(run.join(' ')) || HAS_TIME.test(run.join(' ')))
  return (found ?? []).map((_, index) => last - index)
}

/**
 * `On Monday, Holdpoint wrote:`: without an address or a time it takes both ends and our name, as a person may end a
 * condition with a colon (P1).
 */
function isOurs(line: string): boolean {
  const text = line.trim()
  return BEGINS.test(text) && /\bholdpoint\b/i.test(text) && WROTE.test(text)
}

const BEGINS = /^(on|am|le|el|il|em|op|den|dnia|w dniu|holdpoint)\b/i
const WROTE = /\b(wrote|writes|schrieb|a \u00e9crit|escribi\u00f3|ha scritto|escreveu|schreef|skrev)( holdpoint)? ?:$/i

const HAS_SENDER = /@/
const HAS_TIME = /\b\d{4}\b|\d{1,2}:\d{2}/
