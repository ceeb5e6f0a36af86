import type { ReadWord } from '../text/read-word.ts'
import { programName } from './programs.ts'

const FEEDER = /^(?:g?xargs|g?find|fd|fdfind|(?:env_)?parallel|sem|rush)$/

/** True for a program that makes what it reads or finds words of a command. */
export function isFeeder(program: string): boolean {
  return FEEDER.test(programName(program))
}

/** `{}` and its relatives, as `find`, `fd`, `xargs` and `parallel` know them. */
const PLACEHOLDER = /\{[^A-Za-z\s{}]*\}/

export function isReplaced(text: string, names: ReadonlySet<string>): boolean {
  return PLACEHOLDER.test(text) || [...names].some(name => text.includes(name))
}

/** The names that `xargs -I` and the like replace. */
export function namesReplaced(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.flatMap((word, at) => {
    if (/^-[IJ]$|^--replace$/.test(word)) return texts[at + 1] ?? []
    return /^(?:-[IiJ]|--replace=)(.+)$/s.exec(word)?.[1] ?? []
  })
  return new Set(names.slice(0, 64))
}

/** `-I{}`, `-n1`, `--name=value`, `-0` of xargs: no value follows. */
const OWN_VALUE = /^-[A-Za-z][^A-Za-z-]|^--?[^=]+=|^-[0ritd]+$|^--(?:rm|tty|interactive|detach|init|privileged)$/

function isFlag(text: string): boolean {
  return text.startsWith('-') && text !== '--' && text !== '-'
}

/** True if the word after it may be its value. */
export function takesNextWord(text: string): boolean {
  return isFlag(text) && !OWN_VALUE.test(text)
}

/** True for an option, and for `--`, `A=1`, and numbers as in `nice 5`, if the program takes no operand. */
export function isOwn({ text, literal }: ReadWord, operands: number, isValue: boolean): boolean {
  if (isFlag(text) || (literal && text === '--')) return true
  const isNumber = operands === 0 && /^[+-]?\d+(\.\d+)?[smhd%]?$/.test(text)
  return literal && ((/^\w+=/.test(text) && !(isValue && /\s/.test(text))) || isNumber)
}

/** The values after the name of an option in the same word: `rm x` of `--exec=rm x` and of `-Srm x`. */
export function valuesIn(word: string, isValue: boolean): string[] {
  const equals = isValue || word.startsWith('-') ? word.indexOf('=') : -1
  const values = equals > 0 ? [word.slice(equals + 1)] : []
  return /^-[A-Za-z]./s.test(word) ? [...values, word.slice(2)] : values
}

const MAY_BE_SCRIPT = /[\s;&|<>()$`"'\\{}]/

/** The texts that a shell may read among the words of a program that hands them to one: `ProxyCommand=x` of ssh is one. */
export function shellTexts(program: string, texts: readonly string[]): readonly string[] {
  if (program === 'alias') return texts.map(text => text.replace(/^[^\s=]*=/, ''))
  const settings = texts.flatMap(text => /^(?:-o)?\w*Command=(.*)$/is.exec(text)?.[1] ?? [])
  return [...settings, ...texts.filter(text => MAY_BE_SCRIPT.test(text))]
}
