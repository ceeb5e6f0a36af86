import type { PatternTree, Place } from './pattern-tree.ts'

/** Why a valid expression cannot run in time that grows with the text alone. */
export class IrregularError extends SyntaxError {}

/**
 * The tree of a regular expression that JavaScript takes with the flag u. JavaScript itself judges each single
 * character, so classes, escapes and properties keep their meaning.
 * @throws IrregularError for lookarounds and backreferences
 */
export function readTree(source: string): PatternTree {
  return new TreeReader(source).whole()
}

/** Flags that a group sets: `i`, `m` and `s`. */
type Flags = string

const CHARACTER = /[\s\S]/uy
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/uy
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])/uy
const COUNT = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy
const AROUND = /\(\?<?[=!]/uy
const BACK = /\\(?:[1-9]|k<)/uy
const GROUP = /\((?:\?(?:<[^>]*>|([ims]*)(?:-([ims]+))?:))?/uy

class TreeReader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  whole(): PatternTree {
    return this.#choices('')
  }

  /** Reads up to the end, or the bracket that closes the group. */
  #choices(flags: Flags): PatternTree {
    const choices = [this.#sequence(flags)]
    while (this.#take(/\|/uy)) choices.push(this.#sequence(flags))
    return choices.length === 1 && choices[0] ? choices[0] : { kind: 'any', choices }
  }

  #sequence(flags: Flags): PatternTree {
    const parts: PatternTree[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? '')) parts.push(this.#part(flags))
    return { kind: 'all', parts }
  }

  #part(flags: Flags): PatternTree {
    this.#refuseIrregular()
    const place = this.#take(/\^|\$|\\[bB]/uy)
    if (place) return { kind: 'place', holds: placeOf(place[0], flags) }
    const part = this.#group(flags) ?? this.#one(flags)
    const count = this.#take(COUNT)
    return count ? { kind: 'repeat', part, ...boundsOf(count) } : part
  }

  #refuseIrregular(): void {
    const around = this.#take(AROUND)
    if (around)
      throw new IrregularError(`${around[0]}…) looks around: write what stands there itself, as in a.*b for a(?=.*b)`)
    const back = this.#take(BACK)
    if (back) throw new IrregularError(`${back[0]} refers back to a group: write out what may repeat, as in aa|bb`)
  }

  #group(flags: Flags): PatternTree | null {
    const opened = this.#take(GROUP)
    if (!opened) return null
    const [, more = '', less = ''] = opened
    const within = this.#choices([...new Set(flags + more)].filter(flag => !less.includes(flag)).join(''))
    this.#at += 1
    return within
  }

  #one(flags: Flags): PatternTree {
    const special = this.#take(CLASS) ?? this.#take(ESCAPE) ?? this.#take(/\./uy)
    if (!special && !flags.includes('i')) {
      const literal = this.#take(CHARACTER)?.[0]
      return { kind: 'one', fits: character => character === literal }
    }
    const written = special ?? this.#take(CHARACTER)
    const expression = new RegExp(`^(?:${written?.[0]})$`, `u${flags.replace('m', '')}`)
    return { kind: 'one', fits: character => expression.test(character) }
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#source)
    if (match) this.#at = expression.lastIndex
    return match
  }
}

function boundsOf([written, min, comma, max]: RegExpExecArray): { readonly min: number; readonly max: number | null } {
  if (min === undefined) return BOUNDS[written.charAt(0)] ?? { min: 1, max: 1 }
  if (comma === undefined) return { min: Number(min), max: Number(min) }
  return { min: Number(min), max: max === '' || max === undefined ? null : Number(max) }
}

const BOUNDS: Readonly<Record<string, { readonly min: number; readonly max: number | null }>> = {
  '*': { min: 0, max: null },
  '+': { min: 1, max: null },
  '?': { min: 0, max: 1 },
}

function placeOf(written: string, flags: Flags): Place {
  const word = new RegExp('^\\w$', flags.includes('i') ? 'iu' : 'u')
  const isWord = (character: string | null) => character !== null && word.test(character)
  const isEnd = (character: string | null) =>
    character === null || (flags.includes('m') && /^[\n\r\u2028\u2029]$/.test(character))
  const places: Readonly<Record<string, Place>> = {
    '^': before => isEnd(before),
    $: (_before, after) => isEnd(after),
    '\\b': (before, after) => isWord(before) !== isWord(after),
    '\\B': (before, after) => isWord(before) === isWord(after),
  }
  return places[written] ?? (() => false)
}
