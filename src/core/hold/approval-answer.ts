import type { ApprovalAnswers } from '../run/profile.ts'

/**
 * The meaning of a text as an answer to an approval. `unclear` leaves the hold open: an approval is never guessed (P1).
 */
export interface ApprovalAnswer {
  readonly verdict: 'approve' | 'reject' | 'unclear'
  /** The rest of the text; `null` if the answer is a word alone. */
  readonly reason: string | null
}

type Clear = 'approve' | 'reject'

/** The words of docs/design/holds.md#answers-in-words. "sure", "fine" and "go" are left out: they can mean more than one thing. */
const WORDS: Record<Clear, readonly string[]> = {
  approve: ['yes', 'y', 'approve', 'approved', 'ok', 'lgtm', 'okay', 'yep'],
  reject: ['no', 'n', 'deny', 'denied', 'reject', 'nope', 'rejected', 'declined'],
}

/** How a word may end. A question mark, a comma or three dots leave something open. */
const ENDINGS: readonly string[] = ['', '.', '!', '!!', '!!!', ' !']

/** How keyboards colour a thumb, each a code point of its own. */
const SHADES: readonly string[] = ['', '\u{FE0F}', '\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}']

/** A thumb, alone or after a word with the same meaning. */
const THUMBS: Record<Clear, readonly string[]> = {
  approve: [':+1:', ...SHADES.map(shade => `\u{1F44D}${shade}`)],
  reject: [':-1:', ...SHADES.map(shade => `\u{1F44E}${shade}`)],
}

/** Most processes never read an answer, and a thousand texts take milliseconds of every start. */
let answers: ReadonlyMap<string, Clear> | null = null

/** Every text with one meaning, in full: `yes`, `yes.`, `yes!!`, `lgtm :+1:`. */
function allAnswers(): ReadonlyMap<string, Clear> {
  answers ??= new Map([...answersOf('approve'), ...answersOf('reject')])
  return answers
}

/** May be followed by a reason. */
const COMMANDS: ReadonlyMap<string, Clear> = new Map([
  ['/approve', 'approve'],
  ['/deny', 'reject'],
  ['/reject', 'reject'],
])

/** The first four of the table. */
const STRICT: readonly string[] = WORDS.approve.slice(0, 4)

const UNCLEAR: ApprovalAnswer = { verdict: 'unclear', reason: null }

/** Nothing is searched for: the whole text is in the table, code point by code point, or it is unclear. */
const READ: Record<ApprovalAnswers, (text: string) => ApprovalAnswer> = {
  tolerant: text => (text.startsWith('/') ? readCommand(text) : readWord(text)),
  strict: text =>
    STRICT.includes(lowerCase(text)) ? { verdict: 'approve', reason: null } : { verdict: 'reject', reason: text },
}

/** Reads a free text as an answer. An empty one is unclear: the caller knows what that means. */
export function readApprovalAnswer(text: string, mode: ApprovalAnswers): ApprovalAnswer {
  const words = text.trim()
  return words === '' ? UNCLEAR : READ[mode](words)
}

function readWord(text: string): ApprovalAnswer {
  const verdict = allAnswers().get(lowerCase(text))
  return verdict === undefined ? UNCLEAR : { verdict, reason: null }
}

function readCommand(text: string): ApprovalAnswer {
  const [command = '', ...words] = text.split(/\s+/)
  const verdict = COMMANDS.get(lowerCase(command))
  // A second command makes the answer unclear.
  if (verdict === undefined || words.some(word => COMMANDS.has(lowerCase(word)))) return UNCLEAR
  const reason = text.slice(command.length).trim()
  return { verdict, reason: reason === '' ? null : reason }
}

function answersOf(verdict: Clear): [answer: string, verdict: Clear][] {
  const words = WORDS[verdict].flatMap(word => ENDINGS.map(ending => `${word}${ending}`))
  const seconded = words.flatMap(word => THUMBS[verdict].map(thumb => `${word} ${thumb}`))
  return [...words, ...THUMBS[verdict], ...seconded].map(answer => [answer, verdict])
}

/** ASCII only: Unicode has letters that look otherwise and become these, such as the Kelvin sign. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase())
}
