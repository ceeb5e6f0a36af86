/** A word as the shell may make it: literal pieces, with any text between two of them. One piece: nothing is unknown. */
export type WordPieces = readonly string[]

/** A command that an argument may turn out to be, word by word. */
export interface CommandReading {
  readonly words: readonly WordPieces[]
  /** Why the argument only may be this command; `null` if it is. */
  readonly doubt: string | null
}

/** How surely a pattern covers something. */
export type Coverage = (typeof COVERAGE)[number]

const COVERAGE = ['no', 'perhaps', 'surely'] as const
const PERHAPS = 1
const SURELY = 2

/**
 * How surely a restrictive pattern covers a command. The pattern is tried on the words with and without options and
 * their values at any position, for a subcommand may follow them: `git push*` covers `git -C . push`. A text that is
 * unknown may be any text. `rm *` also means a bare `rm`: its operands may be added elsewhere.
 */
export function coverageOf(pattern: string, { words, doubt }: CommandReading): Coverage {
  const found = coverage(pattern, words)
  return COVERAGE[doubt === null ? found : Math.min(found, PERHAPS)] ?? 'no'
}

/** How surely the text so far reaches each position in a pattern. */
type Reached = Uint8Array

function coverage(pattern: string, words: readonly WordPieces[]): number {
  const begun = new Uint8Array(pattern.length + 1)
  begun[0] = SURELY
  const reached: (Reached | undefined)[] = [closed(pattern, begun)]
  for (let at = 0; at < words.length; at++) {
    const here = reached[at]
    reached[at] = undefined
    const steps = here ? stepsFrom(pattern, words, { at, here }) : []
    for (const { next, after } of steps) reached[next] = merged(reached[next], after)
  }
  const end = reached[words.length]
  return end ? Math.max(surelyAtEnd(pattern, end), surelyAtEnd(pattern, textRead(pattern, end, ' '))) : 0
}

function surelyAtEnd(pattern: string, reached: Reached | null): number {
  return reached?.[pattern.length] ?? 0
}

interface Place {
  readonly at: number
  readonly here: Reached
}

interface Step {
  readonly next: number
  readonly after: Reached | null
}

/** Reads the word, or passes over it: an option alone, an option with the value after it, or a word that may vanish. */
function stepsFrom(pattern: string, words: readonly WordPieces[], { at, here }: Place): Step[] {
  const word = words[at] ?? []
  const before = at === 0 ? here : textRead(pattern, here, ' ')
  const steps: Step[] = [{ next: at + 1, after: before && wordRead(pattern, before, word) }]
  if (at === 0) return steps
  if (mayVanish(word)) steps.push({ next: at + 1, after: perhaps(here) })
  if (!isPassedOver(word)) return steps
  steps.push({ next: at + 1, after: here })
  if (at + 2 <= words.length && !hasValue(word)) steps.push({ next: at + 2, after: here })
  for (const value of valuesGlued(word)) steps.push({ next: at + 1, after: before && wordRead(pattern, before, value) })
  return steps
}

function mayVanish(word: WordPieces): boolean {
  return word.length > 1 && word.every(piece => piece === '')
}

/** An option, a setting (`make A=b deploy`), or a toolchain (`cargo +nightly publish`). */
function isPassedOver([start = '']: WordPieces): boolean {
  return /^[-+]|^\w+=/.test(start)
}

function hasValue([start = '']: WordPieces): boolean {
  return /^(-[^=]*|\w+)=/.test(start)
}

/** `POST` of `--request=POST` and of `-XPOST`. */
function* valuesGlued([start = '', ...rest]: WordPieces): Generator<WordPieces> {
  if (!start.startsWith('-')) return
  const equals = start.indexOf('=')
  if (equals > 0) yield [start.slice(equals + 1), ...rest]
  if (/^-[A-Za-z]./s.test(start)) yield [start.slice(2), ...rest]
}

function wordRead(pattern: string, before: Reached, [start = '', ...rest]: WordPieces): Reached | null {
  let reached = textRead(pattern, before, start)
  for (const piece of rest) reached = reached && textRead(pattern, anythingRead(pattern, reached), piece)
  return reached
}

/** `null` if the text leads nowhere. */
function textRead(pattern: string, before: Reached, text: string): Reached | null {
  let reached = before
  for (let at = 0; at < text.length; at++) {
    const next = characterRead(pattern, reached, text.charCodeAt(at))
    if (!next) return null
    reached = next
  }
  return reached
}

function characterRead(pattern: string, before: Reached, character: number): Reached | null {
  const after = new Uint8Array(before.length)
  let isAlive = false
  for (let at = 0; at < pattern.length; at++) {
    const surely = before[at]
    if (!surely) continue
    const expected = pattern.charCodeAt(at)
    if (expected !== STAR && expected !== character) continue
    isAlive = true
    const to = expected === STAR ? at : at + 1
    after[to] = Math.max(after[to] ?? 0, surely)
  }
  return isAlive ? closed(pattern, after) : null
}

const STAR = '*'.charCodeAt(0)

/** Reads any text: a star covers it surely, and it may be the text that the rest of the pattern asks for. */
function anythingRead(pattern: string, before: Reached): Reached {
  const after = new Uint8Array(before.length)
  let isBehind = false
  for (let at = 0; at < before.length; at++) {
    const surely = before[at] ?? 0
    isBehind ||= surely > 0
    after[at] = pattern.charCodeAt(at) === STAR && surely > 0 ? surely : isBehind ? PERHAPS : 0
  }
  return closed(pattern, after)
}

/** Adds the positions after stars: a star may match no text at all. */
function closed(pattern: string, reached: Reached): Reached {
  for (let at = 0; at < pattern.length; at++) {
    const surely = reached[at] ?? 0
    if (pattern.charCodeAt(at) === STAR && surely > (reached[at + 1] ?? 0)) reached[at + 1] = surely
  }
  return reached
}

function perhaps(reached: Reached): Reached {
  const after = new Uint8Array(reached.length)
  for (let at = 0; at < after.length; at++) after[at] = Math.min(reached[at] ?? 0, PERHAPS)
  return after
}

function merged(one: Reached | undefined, other: Reached | null): Reached | undefined {
  if (!other || !one) return other ?? one
  const both = new Uint8Array(one.length)
  for (let at = 0; at < both.length; at++) both[at] = Math.max(one[at] ?? 0, other[at] ?? 0)
  return both
}
