import { valuesIn } from './flag-words.ts'

/** Shell text found in a word. All of a strict text must be readable; of others, what can be read is enough. */
export interface FoundScript {
  readonly text: string
  readonly strict: boolean
}

export const MAY_BE_SCRIPT: RegExp = /[\s;&|<>()$`"'\\{}]/

/** Every text of a word that may be a script: all of it, its value, what follows a blank, and the strings in code. */
export function scriptsIn(word: string, isCode: boolean): FoundScript[] {
  if (!MAY_BE_SCRIPT.test(word)) return []
  const strings = isCode ? [...word.matchAll(/(["'`])((?:(?!\1).)+)\1/gs)].map(([, , string = '']) => string) : []
  const texts = [word, ...valuesIn(word), word.replace(/^\s*\S+\s+/, ''), ...strings]
  return texts.map(text => ({ text, strict: false }))
}
