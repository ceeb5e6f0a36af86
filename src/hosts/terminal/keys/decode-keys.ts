/** A key, or a character, as a person pressed it. */
export interface Key {
  readonly kind: 'key'
  /** `left`, `return`, `tab` and the like; a printed character is `text`, and with ctrl or meta its letter. */
  readonly name: string
  /** The character; empty for a key that prints none. */
  readonly text: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly shift: boolean
  /** The terminal sent this key alone, at that moment. */
  readonly isAlone: boolean
  /** The characters of all keys that came in one write with it, Enter as `\r`; empty if anything else came with them. */
  readonly write: string
  /** The key repeats the one before faster than a finger can: it is held down. */
  readonly isRepeat: boolean
  /** The number of the read that brought it, and when that was, in milliseconds. */
  readonly read: number
  readonly at: number
}

/** Text between the marks of a bracketed paste: never a key, even if it reads like one. */
interface Paste {
  readonly kind: 'paste'
  readonly text: string
  readonly read: number
  readonly at: number
}

export type Input = Key | Paste

export type RawKey = Pick<Key, 'name' | 'text' | 'ctrl' | 'meta' | 'shift'>

export interface Decoded {
  readonly keys: readonly RawKey[]
  /** The beginning of a sequence whose rest has not arrived yet. */
  readonly rest: string
}

const ESCAPE = '\u001b'
/** The sequence after an escape. */
const CSI = /^\[([0-9;:<=>?]*)[ -/]*([@-~])/
const SS3 = /^O([A-Za-z])/
/** The beginning of one of these, which may go on. */
const OPEN = /^(?:\[[0-9;:<=>?]*[ -/]*|O)?$/

const FINALS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'tab',
}
const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
}
const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'return',
  '\n': 'newline',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u001f': 'undo',
}

/** The keys in what a terminal sent. A sequence that is not known is dropped whole: it never becomes text. */
export function decodeKeys(sent: string): Decoded {
  const keys: RawKey[] = []
  let left = sent
  while (left !== '') {
    const taken = left.startsWith(ESCAPE) ? sequenceIn(left) : plainIn(left)
    if (taken === null) return { keys, rest: left }
    if (taken.key) keys.push(taken.key)
    left = left.slice(taken.length)
  }
  return { keys, rest: '' }
}

/** A lone escape, once nothing follows it. */
export const ESCAPE_KEY: RawKey = { name: 'escape', text: '', ctrl: false, meta: false, shift: false }

interface Taken {
  readonly key: RawKey | null
  readonly length: number
}

/** `null` if more has to come first. */
function sequenceIn(text: string): Taken | null {
  const rest = text.slice(ESCAPE.length)
  const csi = CSI.exec(rest)
  if (csi) return { key: csiKey(csi[1] ?? '', csi[2] ?? ''), length: csi[0].length + 1 }
  const ss3 = SS3.exec(rest)
  if (ss3) return { key: named(FINALS[ss3[1] ?? '']), length: ss3[0].length + 1 }
  if (OPEN.test(rest)) return null
  if (rest.startsWith(ESCAPE)) return { key: ESCAPE_KEY, length: 1 }
  const behind = plainIn(rest)
  return { key: behind.key && { ...behind.key, text: '', meta: true }, length: behind.length + 1 }
}

function csiKey(given: string, final: string): RawKey | null {
  const [number = '', modifiers = '1'] = given.split(';')
  const key = named(final === '~' ? NUMBERS[number] : FINALS[final])
  if (key === null) return null
  const bits = (Number(modifiers) || 1) - 1
  return { ...key, shift: final === 'Z' || (bits & 1) > 0, meta: (bits & 2) > 0, ctrl: (bits & 4) > 0 }
}

function plainIn(text: string): Taken {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const { length } = character
  const control = named(CONTROLS[character])
  if (control) return { key: control, length }
  if (character < ' ') return { key: controlLetter(character), length }
  return { key: { name: lower(character), text: character, ctrl: false, meta: false, shift: false }, length }
}

/** `^A` is ctrl and a. */
function controlLetter(character: string): RawKey | null {
  const letter = String.fromCharCode(character.charCodeAt(0) + 96)
  return /[a-z]/.test(letter) ? { name: letter, text: '', ctrl: true, meta: false, shift: false } : null
}

function named(name: string | undefined): RawKey | null {
  return name === undefined ? null : { name, text: '', ctrl: false, meta: false, shift: false }
}

/** Only the text shows upper case. */
function lower(character: string): string {
  return /^[A-Z]$/.test(character) ? character.toLowerCase() : character
}
