import type { ArrayValue, CommandArgument, Redirection, Word, WordPart } from 'unbash'
import type { WordPieces } from '../../../core/policy/match-command.ts'

/** A word of a command as the program would get it. */
export interface ReadWord {
  /** The text without its quotes; expansions are left as written. */
  readonly text: string
  /** The shell puts nothing else in its place. */
  readonly literal: boolean
  /** The word with every expansion empty; `null` if nothing of it remains. */
  readonly bare: string | null
  /** The literal parts of it; between two of them the shell puts text that is not known here. */
  readonly pieces: WordPieces
}

/** The standard input of a command; `null` if it cannot be read here. */
export type Input = ReadWord | null

export function readWord(argument: CommandArgument): ReadWord {
  if (argument.type === 'Word') return readPlainWord(argument)
  // `export A=1`, `alias a=b`: a word to the program, an assignment to the parser.
  const { value, text } = argument
  const read = value.type === 'Word' ? readPlainWord(value) : readArray(value)
  const left = text.slice(0, value.pos - argument.pos)
  return {
    text: left + read.text,
    literal: read.literal && argument.index === undefined,
    bare: left + (read.bare ?? ''),
    pieces: argument.index === undefined ? [left + (read.pieces[0] ?? ''), ...read.pieces.slice(1)] : ['', ''],
  }
}

function readPlainWord(word: Word): ReadWord {
  const { parts = [], value } = word
  const pieces = piecesOf(parts)
  if (pieces.length === 1) return literalWord(value)
  const bare = pieces.join('')
  const isGone = bare === '' && !parts.some(({ type }) => QUOTED.test(type))
  return { text: value, literal: false, bare: isGone ? null : bare, pieces }
}

export function literalWord(text: string): ReadWord {
  return { text, literal: true, bare: text, pieces: [text] }
}

function readArray(array: ArrayValue): ReadWord {
  const text = `(${array.elements.map(element => element.value).join(' ')})`
  return { text, literal: false, bare: text, pieces: ['', ''] }
}

function piecesOf(parts: readonly WordPart[]): string[] {
  const pieces = ['']
  for (const part of parts) {
    const [start = '', ...rest] = piecesOfPart(part)
    pieces.push((pieces.pop() ?? '') + start, ...rest)
  }
  return pieces
}

function piecesOfPart(part: WordPart): string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      return piecesOf(part.parts)
    default:
      return ['', '']
  }
}

const QUOTED = /^(?:DoubleQuoted|SingleQuoted|LocaleString)$/

export function isInput(redirection: Redirection): boolean {
  return redirection.type !== 'Redirect' || redirection.operator.startsWith('<')
}

export function readInput(redirection: Redirection): Input {
  if (redirection.type === 'HereString') return redirection.target ? readWord(redirection.target) : null
  if (redirection.type === 'Redirect') return null
  const { body, delimiter } = redirection
  if (delimiter?.quoted) return literalWord(body.text)
  const text = body.text.replace(/\\\n/g, '').replace(/\\([\\$`])/g, '$1')
  return { ...literalWord(text), literal: (body.parts ?? []).every(part => part.type === 'Literal') }
}

/** Long text is cut: a reason is one line. */
export function shown(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
