/** Words in the few forms that every shell reads alike. */

/** A piece of a word: text, or what the shell puts in its place. */
export type Segment =
  | { readonly kind: 'text' | 'glob'; readonly text: string }
  | {
      readonly kind: 'variable' | 'output'
      readonly text: string
      readonly name: string | null
      readonly quoted: boolean
    }

export interface PlainWord {
  /** The text without quotes; expansions are left as written. */
  readonly text: string
  readonly segments: readonly Segment[]
}

const BARE = /(?:[\w./:=@%+,^~#-]|[\p{L}\p{N}\p{M}](?<![\0-\x7f]))+/uy
const ALONE = /(?:\[|\]|!|\{\})(?=[\s;|&)]|$)/y
const GLOB = /[*?]|\[[\w.^!-]+\]/y
const ESCAPED = /\\([ -~])/y
const SINGLE = /'([^']*)'/y
const IN_DOUBLE = /(?:[^"\\$`]|\\[^\n])+/y
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|[\d?#@*])/y

export abstract class PlainWords {
  protected readonly source: string
  protected at = 0

  constructor(source: string) {
    this.source = source
  }

  /** The output of a substitution; `null` if it is not read. */
  protected abstract substitution(quoted: boolean): Segment[] | null

  protected match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (found) this.at += found[0].length
    return found
  }

  /** True if one of the characters is next, or the text is at its end. */
  protected isBefore(characters: string): boolean {
    return this.at >= this.source.length || characters.includes(this.source[this.at] ?? '')
  }

  protected word(): PlainWord | null {
    const segments: Segment[] = []
    const alone = this.match(ALONE)
    if (alone) return { text: alone[0], segments: [{ kind: 'text', text: alone[0] }] }
    while (!this.isBefore(' \t\n\r;|&()<>')) {
      const found = this.source[this.at] === '"' ? this.#double() : this.#segment(false)
      if (!found) return null
      segments.push(...found)
    }
    return segments.length === 0 ? null : { text: segments.map(({ text }) => text).join(''), segments }
  }

  #segment(quoted: boolean): Segment[] | null {
    const text = quoted ? undefined : (this.match(BARE)?.[0] ?? this.match(SINGLE)?.[1] ?? this.match(ESCAPED)?.[1])
    if (text !== undefined) return [{ kind: 'text', text }]
    const glob = quoted ? null : this.match(GLOB)
    if (glob) return [{ kind: 'glob', text: glob[0] }]
    const variable = this.match(VARIABLE)
    if (variable) return [{ kind: 'variable', text: variable[0], name: variable[1] ?? variable[2] ?? null, quoted }]
    return this.substitution(quoted)
  }

  #double(): Segment[] | null {
    const segments: Segment[] = [{ kind: 'text', text: '' }]
    for (this.at++; this.source[this.at] !== '"'; ) {
      const text = this.match(IN_DOUBLE)?.[0].replace(/\\([\\"$`])/g, '$1')
      const found: Segment[] | null = text === undefined ? this.#segment(true) : [{ kind: 'text', text }]
      if (!found || this.at >= this.source.length) return null
      segments.push(...found)
    }
    this.at++
    return segments
  }
}
