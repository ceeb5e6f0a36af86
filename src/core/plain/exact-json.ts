import type { Json } from '../text/json.ts'
import { jsonPath } from '../text/json-path.ts'

/** A place in a JSON text that a value of JavaScript would change in silence (P9). */
export interface JsonFault {
  readonly kind: 'number' | 'key'
  readonly path: readonly (string | number)[]
  /** The number or the key as it was written. */
  readonly source: string
  readonly problem: string
}

export interface ReadJson {
  readonly value: Json
  /** The faults in the order of the text. Empty if the value is equal to the text. */
  readonly faults: readonly JsonFault[]
}

/**
 * Reads a JSON text, and finds the differences to its value: numbers that JavaScript cannot hold, duplicate keys, and
 * `__proto__`. Fractions are doubles, as everywhere. @throws SyntaxError if it is no JSON
 */
export function readExactly(text: string): ReadJson {
  const value: Json = JSON.parse(text)
  return { value, faults: MAY_HAVE_FAULTS.test(text) ? faultsIn(text) : [] }
}

/** The text with the digits of each number that JavaScript cannot hold as a text. */
export function withHeldNumbers(text: string): string {
  if (!MAY_HAVE_LONG_NUMBERS.test(text)) return text
  return text.replace(TOKEN, token => (/^-?\d/.test(token) && !isHeld(token) ? JSON.stringify(token) : token))
}

/** One line for the author of the text. `root` names the value. */
export function faultsText(faults: readonly JsonFault[], root: string): string {
  const lines = faults.slice(0, MOST_TOLD).map(({ path, problem }) => `${jsonPath(root, path)} ${problem}`)
  return `${lines.join('; ')}.`
}

const MOST_TOLD = 5

/** All texts with a key or a long number: others need no second look. */
const MAY_HAVE_FAULTS = /:|\d{16}|\d[eE]/

const MAY_HAVE_LONG_NUMBERS = /\d{16}|\d[eE]/

/** An open list or object. */
interface Frame {
  /** The keys so far; `null` in a list. */
  readonly keys: Set<string> | null
  /** The place of the next value. */
  at: string | number
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g

/** Scans a text that is valid JSON, so each token is in a legal position. */
function faultsIn(text: string): JsonFault[] {
  const scan = new Scan()
  for (const [token] of text.matchAll(TOKEN)) scan.take(token)
  return scan.faults
}

class Scan {
  readonly faults: JsonFault[] = []
  readonly #open: Frame[] = []
  #expectsKey = false

  take(token: string): void {
    const mark = MARKS[token]
    if (mark) this.#expectsKey = mark(this.#open)
    else if (!token.startsWith('"')) this.#takeNumber(token)
    else if (this.#expectsKey) this.#takeKey(token)
  }

  #takeNumber(source: string): void {
    if (isHeld(source)) return
    this.faults.push({ kind: 'number', path: placeOf(this.#open), source, problem: numberProblem(source) })
  }

  #takeKey(token: string): void {
    this.#expectsKey = false
    const frame = this.#open.at(-1)
    if (!frame?.keys) return
    const source: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
    const problem = keyProblem(frame.keys, source, token)
    if (problem !== null) this.faults.push({ kind: 'key', path: placeOf(this.#open.slice(0, -1)), source, problem })
    frame.keys.add(source)
    frame.at = source
  }
}

/** The effect of each mark on the open lists and objects. True if a key is next. */
const MARKS: Readonly<Record<string, (open: Frame[]) => boolean>> = {
  '{': open => open.push({ keys: new Set(), at: '' }) > 0,
  '[': open => open.push({ keys: null, at: 0 }) < 0,
  '}': open => open.pop() === null,
  ']': open => open.pop() === null,
  ',': open => {
    const frame = open.at(-1)
    if (typeof frame?.at === 'number') frame.at += 1
    return frame?.keys != null
  },
}

function placeOf(open: readonly Frame[]): (string | number)[] {
  return open.map(({ at }) => at)
}

function keyProblem(keys: ReadonlySet<string>, key: string, token: string): string | null {
  if (key === '__proto__') return 'has a key "__proto__": leave it out'
  return keys.has(key) ? `has the key ${token} more than once: write it once` : null
}

function numberProblem(source: string): string {
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source
  return `is ${shown}, a number that cannot be kept exactly: write it as a string`
}

/** True for every safe integer and fraction, and beyond them for what is shown with the digits that were written. */
function isHeld(source: string): boolean {
  const value = Number(source)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true
  return Number.isFinite(value) && !/^-?\d+$/.test(source) && decimal(source) === decimal(String(value))
}

/** Sign, digits and exponent: the same for `1e20`, `1E+20` and `100.0e18`. */
function decimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}
