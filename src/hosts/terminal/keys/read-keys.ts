import { StringDecoder } from 'node:string_decoder'
import { decodeKeys, ESCAPE_KEY, type RawKey } from './decode-keys.ts'
import type { Input, Key } from './key.ts'
import { SplitPastes } from './split-pastes.ts'

/** A lone escape is a key if no more of a sequence follows it within this time. */
const ESCAPE_MS = 50
/** The same key again sooner than this is a key that is held down. */
const REPEAT_MS = 150

/** Bytes of a terminal as keys and pastes, each with the read that brought it. */
export class ReadKeys {
  readonly #onInput: (input: Input) => void
  readonly #now: () => number
  readonly #decoder = new StringDecoder('utf8')
  readonly #pastes = new SplitPastes()
  #rest = ''
  #reads = 0
  #escape: NodeJS.Timeout | null = null
  #last: Pick<Key, 'name' | 'text' | 'at'> = { name: '', text: '', at: 0 }

  /** `now` in milliseconds. */
  constructor(onInput: (input: Input) => void, now: () => number) {
    this.#onInput = onInput
    this.#now = now
  }

  /** One read of the terminal. */
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
      if (piece.kind === 'paste') this.#onInput({ kind: 'paste', text: lines(piece.text), read: this.#reads, at })
      else this.#keys(piece.text, { isAlone, at })
  }

  #keys(text: string, { isAlone, at }: { readonly isAlone: boolean; readonly at: number }): void {
    const { keys, rest } = decodeKeys(text)
    for (const key of keys) this.#tell(key, { isAlone: isAlone && keys.length === 1, at })
    this.#rest = rest
    if (rest === '\u001b') this.#escape = setTimeout(() => this.#escapeAlone(), ESCAPE_MS)
  }

  #escapeAlone(): void {
    this.#rest = ''
    this.#escape = null
    this.#tell(ESCAPE_KEY, { isAlone: true, at: this.#now() })
  }

  #tell(key: RawKey, { isAlone, at }: Pick<Key, 'isAlone' | 'at'>): void {
    const isSame = key.name === this.#last.name && key.text === this.#last.text
    const isRepeat = isSame && at - this.#last.at < REPEAT_MS
    this.#last = { name: key.name, text: key.text, at }
    this.#onInput({ kind: 'key', ...key, isAlone, isRepeat, read: this.#reads, at })
  }
}

/** Terminals send `\r` for the line ends of a paste. */
function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
