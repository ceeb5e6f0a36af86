/**
 * A second, far simpler reader of shell text than the parser. It finds the commands of lines that every shell reads
 * alike, and leaves all others unread. A rule may permit what both readers see.
 */

import { type PlainWord, PlainWords, type Segment } from './plain-words.ts'

export interface PlainCommand {
  readonly words: readonly PlainWord[]
  /** `A=1` before the program, or alone. */
  readonly settings: readonly PlainSetting[]
  readonly redirects: number
  /** A pipe, a file or a here-document is its input. */
  readonly fed: boolean
  /** The command whose output alone it reads, by its number. */
  readonly pipedFrom: number | null
  /** The files that it reads from. */
  readonly inputs: readonly PlainWord[]
  /** The texts and the names of files that it reads from. */
  readonly given: readonly PlainWord[]
  /** The variables of the loops around it, with the words that they go through. */
  readonly loops: readonly PlainLoop[]
  /** True if the command certainly runs, and nothing else of the line runs before it is done. */
  readonly top: boolean
}

interface PlainSetting {
  readonly name: string
  readonly value: PlainWord
}

export interface PlainLoop {
  readonly name: string
  readonly values: readonly PlainWord[]
}

/** The commands of a line, those of its substitutions before it; `null` if it is not read. */
export function plainCommands(source: string): readonly PlainCommand[] | null {
  const reader = new LineReader(source)
  return reader.isRead() ? reader.commands : null
}

const BLANKS = /(?:[ \t]|\\\n)*/y
const COMMENT = /#[^\n]*/y
const OPERATOR = /&&|\|\||;(?!;)|\|(?!&)|\n|\(|\)/y
const OUTPUT = /(?:[012]?>&[12]|(?:[012]|&)?>>?[ \t]*\/dev\/null)(?=[\s;|&)]|$)/y
const INPUT = /<(?:<<|(?![<>&(]))[ \t]*/y
const HERE_DOCUMENT = /<<[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))(?=[\s;|&)]|$)/y
const SETTING = /([A-Za-z_]\w*)=/y
const KEYWORD = /(?:[a-z]+|[{}])(?=[\s;]|$)|!(?=[ \t]+\S)/y
const LOOP = /[ \t]+([A-Za-z_]\w*)[ \t]+in(?=[ \t])/y

type Keyword = 'goes on' | 'opens' | 'closes' | 'loops' | 'unread'

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    'goes on': 'then else elif do ! time',
    opens: 'if while until {',
    closes: 'fi done }',
    loops: 'for',
    unread: 'case select function coproc esac in',
  }).flatMap(([kind, words]) => words.split(' ').map(word => [word, kind as Keyword] as const)),
)

interface Block {
  readonly fed: boolean
  readonly loop: PlainLoop | null
}

interface HereDocument {
  readonly end: string
  readonly quoted: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] }

class LineReader extends PlainWords {
  readonly commands: PlainCommand[] = []
  #blocks: Block[] = []
  #documents: HereDocument[] = []
  #fed = false
  #isConditional = false
  #pipe: number | null = null

  isRead(): boolean {
    return this.statements('') && this.#blocks.length === 0
  }

  /** Up to the end of the text, or to the parenthesis that closes it. */
  statements(end: '' | ')'): boolean {
    const depth = this.#blocks.length
    for (;;) {
      this.match(BLANKS)
      this.match(COMMENT)
      const operator = this.match(OPERATOR)?.[0] ?? ''
      if (this.#isLast(operator, depth)) return operator === end && this.#documents.length === 0
      if (!(operator === '' ? this.#command() : this.#operator(operator))) return false
    }
  }

  /** True at the end of what was begun at this depth. */
  #isLast(operator: string, depth: number): boolean {
    return operator === '' ? this.at >= this.source.length : operator === ')' && this.#blocks.length === depth
  }

  #operator(operator: string): boolean {
    if (operator === '(') return this.#open(null)
    if (operator === ')') return this.#close()
    const isNext = operator === ';' || operator === '\n'
    this.#fed = operator === '|' || (this.#blocks.at(-1)?.fed ?? false)
    this.#isConditional = !isNext
    return operator !== '\n' || this.#skipDocuments()
  }

  #open(loop: PlainLoop | null): boolean {
    this.#pipe = null
    this.#blocks.push({ fed: this.#fed, loop })
    return true
  }

  /** Only operators and output redirections may follow a block; other text is not read. */
  #close(): boolean {
    const block = this.#blocks.pop()
    if (!block) return false
    while (this.match(BLANKS)?.[0] || this.match(OUTPUT)) {}
    return this.isBefore(';&|\n)')
  }

  #command(): boolean {
    const start = this.at
    const keyword = KEYWORDS.get(this.match(KEYWORD)?.[0] ?? '')
    if (keyword === 'goes on') return true
    if (keyword === 'opens') return this.#open(null)
    if (keyword === 'closes') return this.#close()
    if (keyword === 'loops') return this.#loop()
    this.at = start
    return keyword === undefined && this.#simple()
  }

  #loop(): boolean {
    const name = this.match(LOOP)?.[1]
    const values: PlainWord[] = []
    for (this.match(BLANKS); name !== undefined && !this.match(/;(?!;)|\n/y); this.match(BLANKS)) {
      const word = this.word()
      if (!word) return false
      values.push(word)
    }
    return name !== undefined && this.#open({ name, values })
  }

  #simple(): boolean {
    const loops = this.#blocks.flatMap(({ loop }) => loop ?? [])
    const top = this.#blocks.length === 0 && !this.#isConditional
    const command: Mutable<PlainCommand> = {
      ...{ words: [], settings: [], inputs: [], given: [], redirects: 0 },
      ...{ fed: this.#fed, loops, top, pipedFrom: this.#pipe },
    }
    this.#pipe = null
    const start = this.at
    while (!this.#isDone()) if (!this.#part(command)) return false
    const isPiped = this.source[this.at] === '|' && this.source[this.at + 1] !== '|'
    this.commands.push(isPiped ? { ...command, top: false } : command)
    this.#pipe = isPiped ? this.commands.length - 1 : null
    return this.at > start
  }

  #isDone(): boolean {
    this.match(BLANKS)
    return this.match(COMMENT) !== null || this.isBefore(';|)\n') || this.source.startsWith('&&', this.at)
  }

  #part(command: Mutable<PlainCommand>): boolean {
    return this.#output(command) || this.#input(command) || this.#setting(command) || this.#argument(command)
  }

  #output(command: Mutable<PlainCommand>): boolean {
    const isOutput = this.match(OUTPUT) !== null
    if (isOutput) command.redirects++
    return isOutput
  }

  #input(command: Mutable<PlainCommand>): boolean {
    const document = this.match(HERE_DOCUMENT)
    if (document) {
      const [, single, double, bare = ''] = document
      this.#documents.push({ end: single ?? double ?? bare, quoted: bare === '' })
    }
    const operator = document ? null : this.match(INPUT)?.[0]
    const word = operator ? this.word() : null
    if (!document && !word) return false
    command.redirects++
    command.fed = true
    command.pipedFrom = null
    if (word) command.given.push(word)
    if (word && !operator?.startsWith('<<<')) command.inputs.push(word)
    return true
  }

  /** The bodies of here-documents: text alone. */
  #skipDocuments(): boolean {
    return this.#documents.splice(0).every(({ end, quoted }) => {
      const rest = this.source.slice(this.at)
      const found = new RegExp(`^${end}$`, 'm').exec(rest)
      if (!found || !(quoted || !/[$`\\]/.test(rest.slice(0, found.index)))) return false
      this.at += found.index + found[0].length
      return true
    })
  }

  #setting(command: Mutable<PlainCommand>): boolean {
    const start = this.at
    const name = command.words.length === 0 ? this.match(SETTING)?.[1] : undefined
    if (name === undefined) return false
    const value = this.isBefore(' \t\n;|&)') ? { text: '', segments: [] } : this.word()
    if (!value) this.at = start
    else command.settings.push({ name, value })
    return value !== null
  }

  #argument(command: Mutable<PlainCommand>): boolean {
    const word = this.word()
    if (word) command.words.push(word)
    return word !== null
  }

  /** The commands of a substitution belong to the loops around it, and may run or not. */
  protected substitution(quoted: boolean): Segment[] | null {
    const start = this.at
    if (!this.match(/\$\((?!\()/y) || this.#documents.length > 0) return null
    const [fed, isConditional] = [this.#fed, this.#isConditional]
    this.#isConditional = true
    const isRead = this.statements(')')
    this.#fed = fed
    this.#isConditional = isConditional
    return isRead ? [{ kind: 'output', text: this.source.slice(start, this.at), name: null, quoted }] : null
  }
}
