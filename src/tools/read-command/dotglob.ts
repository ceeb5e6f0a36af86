import { programName } from './command-wrappers.ts'
import type { ReadWord } from './words/read-word.ts'

/** Options and variables by which shells let `*` match names with a leading dot; zsh reads them without underscores. */
const NAMES = /dotglob|globdot|globignore|fignore|bashopts/i
/** They set options or variables that their words name. */
const SETTER = /^(shopt|setopt|declare|typeset|export|local|readonly|read)$/
const SHELL = /^(ba|z|k|mk|c|tc|da|a)?sh$/
const OPTION_BEHIND = /^[-+]\w*[oO]$/
const OPTION_GLUED = /^[-+]\w*[oO]/

/** True if shell text may let `*` match names with a leading dot. */
export function textSetsDotglob(text: string): boolean {
  return NAMES.test(text.replace(/\\\n|['"\\_]/g, ''))
}

/** True if the words of a command may do so, as the shell reads them. A name that is unknown may be any. */
export function wordsSetDotglob(words: readonly ReadWord[]): boolean {
  if (words.some(({ text, bare }) => textSetsDotglob(text) || textSetsDotglob(bare ?? ''))) return true
  if (words.every(({ literal }) => literal)) return false
  const names = words.map(({ text }) => programName(text))
  const setter = names.findIndex(name => SETTER.test(name))
  const takesOptions = setter >= 0 || names.some(name => SHELL.test(name))
  const unknown = words.flatMap((word, at) => (isUnknownName(word) ? { word, at, before: names[at - 1] ?? '' } : []))
  return unknown.some(({ word, at, before }) => {
    if (takesOptions && (OPTION_BEHIND.test(before) || OPTION_GLUED.test(word.pieces[0] ?? ''))) return true
    if (before === '-v' && names.includes('printf')) return true
    const isPrompt = names[setter] === 'read' && before.startsWith('-')
    return setter >= 0 && at > setter && !isPrompt
  })
}

/** `$name`, and `$name=value`; of `NAME=$value` the name is known. */
function isUnknownName({ literal, pieces }: ReadWord): boolean {
  return !literal && !(pieces[0] ?? '').includes('=')
}
