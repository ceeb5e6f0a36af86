import { StringDecoder } from 'node:string_decoder'
import { decodeKeys, ESCAPE_KEY, type Input, type Key, type RawKey } from './decode-keys.ts'

/** A lone escape is a key if no more of a sequence follows it within this time. */
const ESCAPE_MS = 50
/** A terminal sends a long paste in several reads, each so soon after the one before. */
const PASTE_MS = 30
/** A key that repeats sooner, in milliseconds, is held down. */
const REPEAT_MS = 150

/** Bytes of a terminal as keys and pastes, each with the read that brought it. */
export class ReadKeys {
  readonly #onInput: (input: Input) => void
  readonly #now: () => number
  readonly #decoder = new StringDecoder('utf8')
  readonly #pastes = new SplitPastes()
  #rest = ''
  #pastedAt = Number.NEGATIVE_INFINITY
  #reads = 0
  #escape: NodeJS.Timeout | null = null
  #last: Pick<Key, 'name' | 'text' | 'at'> = { name: '', text: '', at: 0 }

  /** `now` in milliseconds. */
  constructor(onInput: (input: Input) => void, now: () => number) {
    this.#onInput = onInput
    this.#now = now
  }

  /** Takes one read of the terminal. */
  read(bytes: Buffer): void {
    if (this.#escape) clearTimeout(this.#escape)
    this.#escape = null
    this.#reads += 1
    const at = this.#now()
    const text = this.#rest + this.#decoder.write(bytes)
    this.#rest = ''
    const pieces = this.#pastes.read(text)
    const isAlone = pieces.length === 1
    for (const piece of pieces)
      if (piece.kind === 'paste' || this.#isUnmarkedPaste(piece.text, at))
        this.#onInput({ kind: 'paste', text: lines(piece.text), read: this.#reads, at })
      else this.#keys(piece.text, { isAlone, at })
  }

  /** Nobody types lines that fast: a terminal without bracketed paste sends what is pasted as if it was typed. */
  #isUnmarkedPaste(text: string, at: number): boolean {
    const goesOn = at - this.#pastedAt < PASTE_MS
    const isPaste = !KEYS_ALONE.test(text) && ((goesOn && text.length > 1) || hasLines(text))
    if (isPaste) this.#pastedAt = at
    return isPaste
  }

  #keys(text: string, { isAlone, at }: { readonly isAlone: boolean; readonly at: number }): void {
    const { keys, rest } = decodeKeys(text)
    const write = isAlone ? charactersOf(keys) : ''
    for (const key of keys) this.#tell(key, { isAlone: isAlone && keys.length === 1, write, at })
    this.#rest = rest
    if (rest === '\u001b') this.#escape = setTimeout(() => this.#escapeAlone(), ESCAPE_MS)
  }

  #escapeAlone(): void {
    this.#rest = ''
    this.#escape = null
    this.#tell(ESCAPE_KEY, { isAlone: true, write: '', at: this.#now() })
  }

  #tell(key: RawKey, { isAlone, write, at }: Pick<Key, 'isAlone' | 'write' | 'at'>): void {
    const isSame = key.name === this.#last.name && key.text === this.#last.text
    const isRepeat = isSame && at - this.#last.at < REPEAT_MS
    this.#last = { name: key.name, text: key.text, at }
    this.#onInput({ kind: 'key', ...key, isAlone, write, isRepeat, read: this.#reads, at })
  }
}

/** Several lines, with text on both sides of a line end. */
function hasLines(text: string): boolean {
  return (text.match(/\r\n?|\n/g)?.length ?? 0) > 1 && /[^\r\n][\r\n]+[^\r\n]/.test(text)
}

/** A text has none of these: they are keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const KEYS_ALONE = /[\0-\b\v\f\u000e-\u001f\u007f]/

/** Empty if one of them prints nothing. */
function charactersOf(keys: readonly RawKey[]): string {
  const characters = keys.map(({ name, text }) => (name === 'return' ? '\r' : text))
  return characters.includes('') ? '' : characters.join('')
}

/** Terminals send `\r` for the line ends of a paste. */
function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

const BEGINS = '\u001b[200~'
const ENDS = '\u001b[201~'
const INTERRUPT = '\u0003'
/** Less of a mark is a key: a lone escape must not wait. */
const LEAST = 3

type Piece = { readonly kind: 'keys' | 'paste'; readonly text: string }

/** Separates pasted text from keys. A terminal sends the marks only if bracketed paste was switched on. */
class SplitPastes {
  /** `null` outside a paste. */
  #pasted: string[] | null = null
  #held = ''

  /** The whole pieces. A paste is whole once its end was read; a mark may be split between two reads. */
  read(chunk: string): readonly Piece[] {
    // A terminal that was cut off in a paste never ends it.
    if (this.#pasted !== null && chunk === INTERRUPT) return this.#end(INTERRUPT)
    let text = this.#held + chunk
    const pieces: Piece[] = []
    for (let cut = this.#cut(text); cut !== null; cut = this.#cut(text)) {
      this.#take(cut.before, pieces)
      text = cut.behind
      if (this.#pasted === null) this.#pasted = []
      else pieces.push(...this.#end(''))
    }
    const kept = this.#pasted === null ? begun(text, BEGINS, LEAST) : begun(text, ENDS, 1)
    this.#held = text.slice(text.length - kept)
    this.#take(text.slice(0, text.length - kept), pieces)
    return pieces
  }

  /** At the next mark; `null` if there is none. */
  #cut(text: string): { readonly before: string; readonly behind: string } | null {
    const mark = this.#pasted === null ? BEGINS : ENDS
    const at = text.indexOf(mark)
    return at < 0 ? null : { before: text.slice(0, at), behind: text.slice(at + mark.length) }
  }

  #take(text: string, pieces: Piece[]): void {
    if (text === '') return
    if (this.#pasted === null) pieces.push({ kind: 'keys', text })
    else this.#pasted.push(text)
  }

  #end(keys: string): Piece[] {
    const text = (this.#pasted ?? []).join('')
    this.#pasted = null
    this.#held = ''
    const pasted: Piece[] = text === '' ? [] : [{ kind: 'paste', text }]
    return keys === '' ? pasted : [...pasted, { kind: 'keys', text: keys }]
  }
}

/** How much of the end of a text may be the beginning of a mark; less than `least` is taken for keys. */
function begun(text: string, mark: string, least: number): number {
  for (let length = mark.length - 1; length >= least; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length
  return 0
}
