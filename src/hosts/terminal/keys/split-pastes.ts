const BEGINS = '\u001b[200~'
const ENDS = '\u001b[201~'
const INTERRUPT = '\u0003'
/** Less of a mark is a key: a lone escape must not wait. */
const LEAST = 3

export type Piece = { readonly kind: 'keys' | 'paste'; readonly text: string }

/** Tells pasted text from keys. A terminal sends the marks only if bracketed paste was switched on. */
export class SplitPastes {
  /** `null` outside a paste. */
  #pasted: string[] | null = null
  #held = ''

  /** The pieces that are whole. A paste comes once its end was read; a mark may be split between two reads. */
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
