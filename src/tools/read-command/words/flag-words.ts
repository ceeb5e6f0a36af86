/** `-I{}`, `-n1`, `--name=value`: no value follows. */
const OWN_VALUE = /^-[A-Za-z][^A-Za-z-]|^--?[^=]+=/

export function isFlag(text: string): boolean {
  return text.startsWith('-') && text !== '--' && text !== '-'
}

/** True if the word after it may be its value. */
export function takesNextWord(text: string): boolean {
  return isFlag(text) && !OWN_VALUE.test(text)
}

/** As in `nice 5`; the number of `timeout 5` is counted among its operands. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?[smhd%]?$/.test(text)
}

/** The parts of a word behind its name: `rm x` of `--exec=rm x`, `a=b=rm x`, `alias.x=!rm x` and `-Srm x`. */
export function valuesIn(word: string): string[] {
  const equals = word.includes('=') ? [...word.matchAll(/=/g)].map(({ index }) => index) : []
  const values = [...equals.slice(0, 4), ...equals.slice(4).slice(-1)].map(at => word.slice(at + 1).replace(/^!/, ''))
  // `vim '+!rm x'`
  if (word.startsWith('+')) values.push(word.slice(1))
  return /^-[A-Za-z]./s.test(word) ? [...values, word.slice(2)] : values
}
