import type { Word, WordPart } from 'unbash'

/** The folder of Holdpoint's own records, below the directory in which a run works. */
export const PROTECTED = '.holdpoint'

const DONE = 1 << PROTECTED.length
const ALL = DONE * 2 - 1

/**
 * How far a word may have spelled `.holdpoint` by now: bit n of a mask says that n of its characters may be there. The
 * masks are for spellings with none, one, and more of those characters written out; what only expansions would spell
 * is no mention, or every `$X/$Y` would be one.
 */
interface Spelling {
  readonly masks: readonly [none: number, one: number, more: number]
  readonly found: boolean
  /** Flags take their value glued on (`-o.holdpoint/x`), so in a flag the name may begin anywhere. */
  readonly flag: boolean
  /** `*` matches names with a leading dot too. */
  readonly dotglob: boolean
}

/** True if the text holds the protected directory as a component of a path. */
export function textMentionsProtected(text: string): boolean {
  if (!text.replace(IGNORED, '').toLowerCase().includes(PROTECTED)) return false
  return ended(spelled(begin(false), text))
}

/** True if the word, after the shell has expanded it, may name the protected directory. */
export function wordMentionsProtected(word: Word, dotglob: boolean): boolean {
  if (!word.parts) return textMentionsProtected(word.value)
  return ended(word.parts.reduce(partSpelled, begin(dotglob)))
}

function begin(dotglob: boolean): Spelling {
  return { masks: [1, 0, 0], found: false, flag: false, dotglob }
}

function ended({ masks, found }: Spelling): boolean {
  return found || (masks[2] & DONE) !== 0
}

function partSpelled(spelling: Spelling, part: WordPart): Spelling {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return spelled(spelling, part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.reduce(partSpelled, spelling)
    case 'Glob':
      return part.kind === 'star' ? anyRun(spelling) : anyCharacter(spelling, part.text)
    case 'BraceExpansion':
      return alternatives(spelling, part.text)
    case 'ExtendedGlob':
      return either(anyRun(spelling), alternatives(spelling, `(${part.pattern})`))
    default:
      return anything(spelling)
  }
}

/** Characters that some file systems ignore in names. */
const IGNORED = /\p{Cf}/gu
const IN_NAME = /[\w.\-\u0080-\uffff]/

function spelled(spelling: Spelling, text: string): Spelling {
  let next = spelling
  for (const character of text.replace(IGNORED, '').toLowerCase()) next = characterSpelled(next, character)
  return next
}

function characterSpelled(spelling: Spelling, character: string): Spelling {
  const { masks } = spelling
  if (!IN_NAME.test(character)) return { ...spelling, masks: [1, 0, 0], found: ended(spelling), flag: false }
  const flag = spelling.flag || (character === '-' && (masks[0] & 1) !== 0)
  const [none, one, more] = masks.map(mask => advanced(mask, character)) as [number, number, number]
  return { ...spelling, masks: [flag ? 1 : 0, none, one | more], flag }
}

function advanced(mask: number, character: string): number {
  let next = 0
  for (let at = 0; at < PROTECTED.length; at++) {
    if (mask & (1 << at) && PROTECTED[at] === character) next |= 1 << (at + 1)
  }
  return next
}

/** An unquoted `*`. The leading dot it leaves to the pattern; behind that dot a star is as good as written out. */
function anyRun(spelling: Spelling): Spelling {
  const { masks, dotglob } = spelling
  const [none, one, more] = masks
  if (dotglob && none & 1) return { ...spelling, masks: [1, 0, ALL & ~1] }
  return { ...spelling, masks: [none, 0, upFrom(one | more)] }
}

/** `?` or `[…]`, read as any one character. */
function anyCharacter(spelling: Spelling, text: string): Spelling {
  const [none, one, more] = spelling.masks
  const dot = spelling.dotglob || text.includes('.') ? (none & 1) << 1 : 0
  return { ...spelling, masks: [((none & ~1) << 1) & ALL, dot, ((one | more) << 1) & ALL] }
}

/** A variable or a command may put any text there, path separators included. */
function anything(spelling: Spelling): Spelling {
  const [, one, more] = spelling.masks
  return { ...spelling, masks: [ALL, upFrom(one), upFrom(more)], found: ended(spelling) }
}

/** Every position from the lowest one on. */
function upFrom(mask: number): number {
  return mask === 0 ? 0 : ALL & ~((mask & -mask) - 1)
}

function either(a: Spelling, b: Spelling): Spelling {
  const masks = [0, 1, 2].map(at => (a.masks[at] ?? 0) | (b.masks[at] ?? 0)) as [number, number, number]
  return { ...a, masks, found: a.found || b.found }
}

/** `{a,b}` or `(a|b)` as written, nested ones and all. A sequence such as `{a..z}` may be anything. */
function alternatives(spelling: Spelling, text: string): Spelling {
  const open: Choice[] = []
  let now = spelling
  for (const character of text.replace(/['"\\]/g, '')) now = choiceSpelled(open, now, character)
  return text.includes('..') ? either(now, anything(spelling)) : now
}

/** Alternatives still being read: what was spelled before them, and by those that are done. */
interface Choice {
  readonly before: Spelling
  readonly done: Spelling | null
}

function choiceSpelled(open: Choice[], now: Spelling, character: string): Spelling {
  if (/[{(]/.test(character)) {
    open.push({ before: now, done: null })
    return now
  }
  const choice = /[,|})]/.test(character) ? open.pop() : undefined
  if (!choice) return patternSpelled(now, character)
  const done = choice.done ? either(choice.done, now) : now
  if (/[})]/.test(character)) return done
  open.push({ before: choice.before, done })
  return choice.before
}

function patternSpelled(spelling: Spelling, character: string): Spelling {
  if (character === '*') return anyRun(spelling)
  if (character === '?') return anyCharacter(spelling, character)
  return character === '$' || character === '`'
    ? anything(spelling)
    : characterSpelled(spelling, character.toLowerCase())
}
