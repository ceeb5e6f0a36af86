/** Forms that shells, or the parser, read differently. */

import type { Command, Redirect, Word } from 'unbash'
import type { ReadWord } from './read-word.ts'

/** The escapes that all shells read alike. */
const PLAIN_ANSI_C =
  /^\$'(?:[^\\']|\\(?:[abeEfnrtv\\"?]|x[\dA-Fa-f]{1,2}|[0-7]{1,3}|u[\dA-Fa-f]{1,4}|U[\dA-Fa-f]{1,8}))*'$/

/** `A=1 x`, `export A=1`. */
export function settingsOf({ prefix }: Command, words: readonly ReadWord[]): readonly string[] {
  const own =
    words.length === 0
      ? []
      : prefix.flatMap(each => (each.type === 'Assignment' && each.value.type === 'Word' ? each.value.value : []))
  const isGiven = /^(?:export|declare|typeset|env|sudo|doas)$/.test(words[0]?.text ?? '')
  return [...own, ...(isGiven ? words.flatMap(({ text }) => /^\w+=(.*)$/s.exec(text)?.[1] ?? []) : [])]
}

/** True for `$'…'` with an escape that not all shells read alike. */
export function isOddQuote(text: string): boolean {
  return !PLAIN_ANSI_C.test(text)
}

/** `<&-rm v`: bash ends the word after the dash. */
export function isOddRedirect({ operator, target }: Redirect): boolean {
  const text = target?.text ?? ''
  const isWhole = /^(?:\d+-?|-)$/.test(text) || (operator === '>&' && /^[^-\d]/.test(text))
  return operator.endsWith('&') && !isWhole
}

/** The builtin, and not the `exec` of `docker exec`. */
export function isExec(words: readonly ReadWord[]): boolean {
  const own = words.find(({ text, literal }) => literal && !/^(builtin|command|time|-.*)$/.test(text))
  return own?.text === 'exec'
}

/** The parser passes over a misplaced `(`. */
export function hasStrayText(node: Command, source: string): boolean {
  const parts = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].toSorted((a, b) => a.pos - b.pos)
  const gaps = parts.map((part, at) => source.slice(part.end, parts[at + 1]?.pos ?? part.end))
  return gaps.some(gap => gap.includes('(')) || /^(?:[ \t]|\\\n)*\(/.test(source.slice(node.end, node.end + 200))
}

/** The parser takes some words for literal that the shell expands: `eval a=($(b))`. */
export function isReadAsLess({ text, parts }: Word): boolean {
  const literal = parts ? parts.flatMap(part => (part.type === 'Literal' ? part.text : [])).join(' ') : text
  return /[`()<>|&;"']|\$[\w({'"@*#?!$-]/.test(literal.replace(/\\[\s\S]/g, ''))
}

/** Control characters but for tab and newline, and what turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/

export function holdsHidden(text: string): boolean {
  return HIDDEN.test(text) || !text.isWellFormed()
}

const MOST_SUBSTITUTIONS = 1000

/** Each substitution nests a script, and the parser reads all the text around it again. */
export function holdsTooManySubstitutions(text: string): boolean {
  return (text.match(/[$<>]\(/g)?.length ?? 0) > MOST_SUBSTITUTIONS
}
