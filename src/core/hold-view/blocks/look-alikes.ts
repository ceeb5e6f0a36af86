/** Finds words that look like other words: letters of several scripts in one word, or of another script in an address. */

import type { VisiblePart } from '../../text/visible-text.ts'

/** A word, and how programs read it. */
export interface LookAlike {
  readonly word: string
  /** In words: `Cyrillic and Latin letters`. */
  readonly holds: string
  /** As addresses are written for machines: `xn--l-7sba3cc.com`. Its letters by number, if it is no address. */
  readonly plain: string
}

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Deseret'] as const
/** Letters of these scripts that look like Latin ones, by their code points. */
const LIKE_LATIN =
  /^[\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf\u051b\u051d\u044c\u1d26\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7\u03b3\u03b7\u03c9\u057d\u0578\u0581\u0585\u0570\u056c\u2c9f\u2ca3.\d_@:/-]+$/iu
/** Letters that look like Latin ones as capitals alone. */
const CAPITALS =
  /[\u0412\u041a\u041c\u041d\u0422\u0405\u0408\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7]/u
/** Forms of Latin letters that are not them: fullwidth, mathematical. */
const STYLED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u2100-\u214f]/u
const WORD = /[\p{L}\p{M}\p{N}._@:/-]+/gu
/** An address, or the name of a file, ends so. */
const LATIN_END = /\.[a-z]{2,}(?:[:/]|$)/

/** More of them say no more. */
const MOST = 5

export function lookAlikes(text: string): readonly LookAlike[] {
  const found = new Map<string, LookAlike>()
  if (isAscii(text)) return []
  for (const [word] of text.matchAll(WORD)) {
    const holds = found.size < MOST && !found.has(word) ? whyAlike(word) : null
    if (holds !== null) found.set(word, { word, holds, plain: plainOf(word) })
  }
  return [...found.values()]
}

/** P9: the text in pieces. Marked are the letters that make a word look like another one. */
export function lookAlikeParts(text: string): readonly VisiblePart[] {
  if (isAscii(text)) return [{ text, isMark: false }]
  const parts: { text: string; isMark: boolean }[] = []
  const add = (piece: string, isMark: boolean) => {
    const last = parts.at(-1)
    if (last?.isMark === isMark) last.text += piece
    else if (piece !== '') parts.push({ text: piece, isMark })
  }
  let end = 0
  for (const { index, 0: word } of text.matchAll(WORD)) {
    if (whyAlike(word) === null) continue
    add(text.slice(end, index), false)
    for (const letter of word) add(letter, isAlike(letter) || STYLED.test(letter))
    end = index + word.length
  }
  add(text.slice(end), false)
  return parts
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
  return /^[\x00-\x7f]*$/.test(text)
}

function isAlike(letter: string): boolean {
  return CAPITALS.test(letter) || (LIKE_LATIN.test(letter) && !isAscii(letter))
}

function whyAlike(word: string): string | null {
  if (isAscii(word)) return null
  if (STYLED.test(word)) return 'letters that only look like Latin ones'
  const mixed = word
    .split(/[./:@-]/)
    .filter(part => [...part].some(isAlike))
    .map(scriptsIn)
    .find(scripts => scripts.length > 1)
  if (mixed) return `${mixed.join(' and ')} letters`
  const host =
    LATIN_END.exec(word) &&
    word
      .replace(/^\w+:\/\//, '')
      .split(/[/:]/, 1)[0]
      ?.split('@')
      .at(-1)
  if (!host) return null
  const [other] = host.split('.').filter(label => label !== '' && !/^[\w-]*$/.test(label) && LIKE_LATIN.test(label))
  return other === undefined ? null : `${scriptsIn(other)[0] ?? 'other'} letters that look like Latin ones`
}

function scriptsIn(text: string): string[] {
  return SCRIPTS.filter(script => new RegExp(`\\p{Script=${script}}`, 'u').test(text))
}

function plainOf(word: string): string {
  const host =
    word
      .replace(/^\w+:\/\//, '')
      .split(/[/:@]/)
      .find(part => /[^\w.-]/.test(part)) ?? word
  const url = `http://${host}`
  return URL.canParse(url)
    ? new URL(url).hostname
    : [...word].map(letter => letter.codePointAt(0)?.toString(16)).join(' ')
}

/** A warning, without its period, for people who decide about a text that holds it. */
export function lookAlikeText({ word, holds, plain }: LookAlike): string {
  return `LOOK-ALIKE: ${word} has ${holds}; a program reads ${plain}`
}
