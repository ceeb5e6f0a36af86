import type { Word, WordPart } from 'unbash'
import { programName, usesOf } from '../programs/programs.ts'
import type { ReadWord } from '../text/read-word.ts'
import type { ReadCommand } from '../text/script-reading.ts'
import { PROTECTED } from './links-to-records.ts'

const IN_NAME = String.raw`\w.\-\u0080-\uffff`
/** The folder's name as a component of a path, or glued to a flag: `-o.holdpoint/x`. */
const NAMED = new RegExp(
  String.raw`(?:^|[^${IN_NAME}]|(?:^|[^${IN_NAME}])-[\w.-]{0,40})\.holdpoint(?![${IN_NAME}])`,
  'i',
)
/** Characters that some file systems ignore in names. */
const IGNORED = /\p{Cf}/gu

/** True if the text names the protected directory. */
export function textNamesRecords(text: string): boolean {
  return NAMED.test(unquoted(text.replace(IGNORED, '')))
}

/** A pattern of a part of a word, and how much of it is written; `null`: any text; `'/'`: the end of a component. */
type Piece = { readonly pattern: string; readonly written: number; readonly exact?: true } | '/' | null

/** No word that a person could judge has more unknown pieces. */
const MOST_UNKNOWN = 8
const MOST_PIECES = 40

/** True if the word, after the shell has expanded it, may name the protected directory; two letters of it are written. */
export function mayNameRecords({ value, parts }: Word): boolean {
  if (!parts) return textNamesRecords(value)
  const components: Piece[][] = [[]]
  for (const piece of parts.flatMap(piecesOf)) {
    if (piece === '/') components.push([])
    else components.at(-1)?.push(piece)
  }
  return components.some(mayBeRecords)
}

function mayBeRecords(component: readonly Piece[]): boolean {
  const unknown = component.flatMap((piece, at) => (piece === null ? at : []))
  if (unknown.length > MOST_UNKNOWN || component.length > MOST_PIECES) return true
  // Unknown text may contain other parts of a path.
  return [0, ...unknown].some(from =>
    [component.length, ...unknown.map(at => at + 1)].some(to => {
      const pieces = component.slice(from, to).filter(piece => piece !== '/')
      const written = pieces.reduce((sum, piece) => sum + (piece?.written ?? 0), 0)
      const pattern = pieces.map(piece => piece?.pattern ?? '.*').join('')
      if (pieces.some(piece => piece?.exact && piece.written > PROTECTED.length)) return false
      return written > 1 && new RegExp(`^${pattern}$`, 'i').test(PROTECTED)
    }),
  )
}

function piecesOf(part: WordPart): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value.split(/([/=:,])/).map(text => (/^[/=:,]$/.test(text) ? '/' : literal(text)))
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.flatMap(piecesOf)
    case 'Glob':
      // A pattern matches no leading dot that it does not write; after that dot, a star may match all.
      if (part.kind === 'star') return [ANY_RUN]
      return [{ pattern: part.text.includes('.') ? '.' : '(?!^\\.).', written: part.text.includes('.') ? 1 : 0 }]
    case 'BraceExpansion':
      return [alternatives(part.text)]
    case 'ExtendedGlob':
      return [part.operator === '@' ? alternatives(part.pattern.replaceAll('|', ',')) : ANY_RUN]
    default:
      return [null]
  }
}

const ANY_RUN: Piece = { pattern: '(?!^\\.).*', written: 1 }

function literal(text: string): Piece {
  const plain = text.replace(IGNORED, '')
  return { pattern: plain.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), written: plain.length, exact: true }
}

/** `{a,b}`: each of its texts; what is more than that may be any text. */
function alternatives(text: string): Piece {
  const plain = text.replace(/['"\\]/g, '')
  if (
    plain.length > 200 ||
    !/^[\w{},.-]*$/.test(plain) ||
    plain.includes('..') ||
    plain.replace(/[^{]/g, '').length !== plain.replace(/[^}]/g, '').length
  )
    return null
  const pattern = plain.replaceAll('.', '\\.').replaceAll('{', '(?:').replaceAll('}', ')').replaceAll(',', '|')
  return { pattern: `(?:${pattern})`, written: plain.length }
}

/** Subcommands that decide for good: a person must look before an agent runs one (P1). */
const SUBCOMMANDS = 'approve|reject|answer|edit|cancel|undo|assign|grants|prune|resume|mcp|checkpoint|trust'
/** `-c ID` with a text answers what waits there, and `-ac ID` is the same. */
const DECIDES = new RegExp(
  `^(?:${SUBCOMMANDS}|--(?:approve|reject|edit|answer|finish|checkpoint)\\b.*|-[A-Za-z]*c.*)$`,
  's',
)
const DECIDES_ALONE = new RegExp(`^(?:${SUBCOMMANDS}|--(?:approve|reject)(?:-all)?(?:=.*)?)$`, 's')
/** The program by any path, at any version, or as the file it runs. */
const PROGRAM = /^(holdpoint(@.*|\.\w+)?|bin\.[cm]?[jt]s)$/i
const TEXT_PROGRAM = /holdpoint|\bbin\.[cm]?[jt]s\b/i
const TEXT_DECIDES = new RegExp(String.raw`\b(?:${SUBCOMMANDS}|decide\w*|revoke|finish)\b|\s-[a-z]*c\b`, 'i')
/** Names of variables by which the command line knows who decides, also as `HOLDPOINT_{WITHIN,X}` or `${!HOLD*}`. */
const WHO = /HOLDPOINT_(?!IDEMPOTENCY_KEY|STORE|MODEL|COMMAND_IDS)|\$\{!H/

/** True if shell text names the variables that say who decides. */
export function namesWhoDecides(text: string): boolean {
  return WHO.test(unquoted(text))
}

/** True if text that policy does not read may make Holdpoint decide something. */
export function textMayDecide(text: string): boolean {
  const plain = unquoted(text)
  return TEXT_PROGRAM.test(plain) && TEXT_DECIDES.test(plain)
}

/** True if a command, or one that it runs, may make Holdpoint decide something. */
export function mayDecide({ words, input }: ReadCommand, runs: readonly (readonly ReadWord[])[]): boolean {
  const uses = usesOf(words.map(({ text }) => text))
  if (uses.every(({ role }) => role === 'inert' || role === 'writes'))
    return programName(words[0]?.text ?? '') === 'holdpoint' && decides(words)
  const isCode = uses.some(({ role }) => role === 'code' || role === 'unread')
  const text = [...words, ...input].map(word => word?.text ?? '').join('\n')
  return (isCode && textMayDecide(text)) || [words, ...runs].some(decides)
}

/** An unknown program may be any. */
function decides(words: readonly ReadWord[]): boolean {
  if (words[0]?.literal === false && words.slice(1).some(({ text }) => DECIDES_ALONE.test(text))) return true
  const at = words.findIndex(({ text, bare }) => [text, bare ?? ''].some(each => PROGRAM.test(programName(each))))
  const behind = at < 0 ? [] : words.slice(at + 1).filter(({ text }) => text !== '--')
  return behind[0]?.literal === false || behind.some(({ text }) => DECIDES.test(text))
}

function unquoted(text: string): string {
  return text.replace(/\\\n|['"\\]/g, '')
}
