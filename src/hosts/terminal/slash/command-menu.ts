/** The menu of commands below a half-written slash command. Keeps: taking a command writes its name and runs nothing. */
import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { cutTo, type Line } from '../screen/flow.ts'
import type { SlashCommand } from './deck.ts'
import { ALSO, SLASH_COMMANDS } from './slash-commands.ts'

/** More rows hide what waits. */
const MOST_ROWS = 8
const MARK = ' ▸ '

export class CommandMenu {
  readonly #commands: readonly SlashCommand[]
  #word: string | null = null
  #found: readonly SlashCommand[] = []
  #chosen = 0
  #hasMoved = false
  #isClosed = false

  /** `more`: commands in addition to those of every chat. */
  constructor(more: readonly SlashCommand[] = []) {
    this.#commands = [...SLASH_COMMANDS, ...more.filter(({ name }) => !SLASH_COMMANDS.some(own => own.name === name))]
  }

  get isOpen(): boolean {
    return this.#found.length > 0 && !this.#isClosed
  }

  /** True if Enter means what is written: the name of a command in full, and no other one was chosen. */
  get isWritten(): boolean {
    const word = this.#word ?? ''
    return !this.#hasMoved && (this.#commands.some(({ name }) => name === word) || Object.hasOwn(ALSO, word))
  }

  /** Follows what is written, after each key. */
  follow(text: string): void {
    const word = /^\/(\S*)$/.exec(text)?.[1] ?? null
    if (!text.startsWith('/')) this.#isClosed = false
    if (word === this.#word) return
    this.#word = word
    this.#found = word === null ? [] : commandsFor(word, this.#commands)
    this.#chosen = 0
    this.#hasMoved = false
  }

  /** Until another command is begun. */
  close(): void {
    this.#isClosed = true
  }

  /** To another row, round about. */
  move(step: number): void {
    const { length } = this.#found
    this.#chosen = (this.#chosen + step + length) % length
    this.#hasMoved = true
  }

  /** What the draft becomes if the chosen command is taken. */
  get taken(): string {
    return `/${this.#found[this.#chosen]?.name ?? this.#word} `
  }

  /** None if it is closed. */
  rows(columns: number): readonly Line[] {
    if (!this.isOpen) return []
    const { length } = this.#found
    const first = Math.max(0, Math.min(this.#chosen - MOST_ROWS + 2, length - MOST_ROWS))
    const shown = this.#found.slice(first, first + MOST_ROWS)
    const wide = Math.max(...this.#found.map(command => textWidth(called(command))))
    const rows = shown.map((command, at) => rowOf(command, { wide, columns, isChosen: first + at === this.#chosen }))
    const hint: Line = [{ text: `   ${this.#chosen + 1} of ${length} · ↑↓ Tab takes it, Esc closes`, style: 'dim' }]
    return [...rows, hint].map(row => cutTo(row, columns))
  }
}

/** Those whose names begin so, then those that are also called so, then those whose names have it within. */
function commandsFor(word: string, all: readonly SlashCommand[]): readonly SlashCommand[] {
  const wanted = word.toLowerCase()
  const also = Object.keys(ALSO).flatMap(name => (wanted !== '' && name.startsWith(wanted) ? [ALSO[name]] : []))
  const found = [
    ...all.filter(({ name }) => name.startsWith(wanted)),
    ...all.filter(({ name }) => also.includes(name)),
    ...all.filter(({ name }) => wanted.length > 1 && name.includes(wanted)),
  ]
  return [...new Set(found)]
}

function called({ name, usage }: SlashCommand): string {
  return `/${name} ${usage}`.trimEnd()
}

interface RowPlace {
  /** Of the widest command, in columns. */
  readonly wide: number
  readonly columns: number
  readonly isChosen: boolean
}

function rowOf(command: SlashCommand, { wide, columns, isChosen }: RowPlace): Line {
  const name = called(command).padEnd(wide + 2)
  const room = Math.max(1, columns - MARK.length - name.length)
  return [
    { text: isChosen ? MARK : ' '.repeat(MARK.length), style: 'cyan' },
    { text: name, style: isChosen ? 'bold' : null },
    { text: shortened(command.does, room), style: isChosen ? null : 'dim' },
  ]
}
