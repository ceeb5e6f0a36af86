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
