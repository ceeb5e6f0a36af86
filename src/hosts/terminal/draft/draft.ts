/**
 * The text that a person writes, with its cursor. It is made of cells: a character as people count them, or a long paste,
 * which is shown in words and sent whole.
 */
import { charactersOf } from '../../../core/text/text-width.ts'
import type { Key } from '../keys/decode-keys.ts'

interface Cell {
  readonly text: string
  /** Shown in place of the text. */
  readonly shown: string | null
}

interface Written {
  readonly cells: readonly Cell[]
  /** The cell after the cursor. */
  readonly cursor: number
}

/** A longer paste is shown as the number of its lines. */
const SHOWN_LINES = 10
const SHOWN_CHARACTERS = 4_000
const MOST_UNDOS = 200

const EMPTY: Written = { cells: [], cursor: 0 }

export class Draft {
  #now: Written = EMPTY
  #undos: Written[] = []
  #killed: readonly Cell[] = []
  readonly #sent: string[] = []
  /** The place in what was sent, counted from its end; 0 is the draft itself. */
  #back = 0
  #kept = ''

  get cells(): readonly Cell[] {
    return this.#now.cells
  }

  get cursor(): number {
    return this.#now.cursor
  }

  get text(): string {
    return this.#now.cells.map(({ text }) => text).join('')
  }

  get isEmpty(): boolean {
    return this.#now.cells.length === 0
  }

  insert(text: string): void {
    this.#insert(cellsOf(text))
  }

  /** Text as it is; a long one as one cell. */
  paste(text: string): void {
    const count = text.split('\n').length
    const isLong = count > SHOWN_LINES || text.length > SHOWN_CHARACTERS
    const size = count > 1 ? `${count} lines` : `${text.length} characters`
    this.#insert(isLong ? [{ text, shown: `[pasted ${size}]` }] : cellsOf(text))
  }

  /** Text of a program in the place of all of it. */
  replace(text: string): void {
    const cells = cellsOf(text)
    this.#change({ cells, cursor: cells.length })
  }

  /** Takes the draft out, to be sent; it can be called back. */
  take(): string {
    const { text } = this
    if (text.trim() !== '' && this.#sent.at(-1) !== text) this.#sent.push(text)
    this.#now = EMPTY
    this.#undos = []
    this.#back = 0
    return text
  }

  clear(): void {
    if (!this.isEmpty) this.#change(EMPTY)
  }

  undo(): void {
    this.#now = this.#undos.pop() ?? this.#now
  }

  /** Moves the cursor to a cell. */
  moveTo(cursor: number): void {
    this.#now = { ...this.#now, cursor: Math.max(0, Math.min(this.#now.cells.length, cursor)) }
  }

  /** Removes the cells between the cursor and there. With `keeps`, `yank` brings them back. */
  removeTo(other: number, keeps = false): void {
    const { cells, cursor } = this.#now
    const [from, to] = [Math.max(0, Math.min(cursor, other)), Math.min(cells.length, Math.max(cursor, other))]
    if (from === to) return
    if (keeps) this.#killed = cells.slice(from, to)
    this.#change({ cells: cells.toSpliced(from, to - from), cursor: from })
  }

  yank(): void {
    this.#insert(this.#killed)
  }

  /** The cell at which the line of the cursor begins, and the one at which it ends. */
  lineAround(): { readonly from: number; readonly to: number } {
    const { cells, cursor } = this.#now
    const before = cells.slice(0, cursor).findLastIndex(isLineEnd)
    const behind = cells.slice(cursor).findIndex(isLineEnd)
    return { from: before + 1, to: behind < 0 ? cells.length : cursor + behind }
  }

  /** The beginning of the word before the cursor. */
  wordBefore(): number {
    let at = this.#now.cursor
    while (at > 0 && !this.#isWord(at - 1)) at -= 1
    while (at > 0 && this.#isWord(at - 1)) at -= 1
    return at
  }

  /** The end of the word after the cursor. */
  wordBehind(): number {
    let at = this.#now.cursor
    while (at < this.#now.cells.length && !this.#isWord(at)) at += 1
    while (at < this.#now.cells.length && this.#isWord(at)) at += 1
    return at
  }

  /** To what was sent before; a draft under way is kept for the way back. */
  earlier(): void {
    if (this.#back === this.#sent.length) return
    if (this.#back === 0) this.#kept = this.text
    this.#back += 1
    this.replace(this.#sent.at(-this.#back) ?? '')
  }

  later(): void {
    if (this.#back === 0) return
    this.#back -= 1
    this.replace(this.#back === 0 ? this.#kept : (this.#sent.at(-this.#back) ?? ''))
  }

  #isWord(at: number): boolean {
    const cell = this.#now.cells[at]
    return cell !== undefined && (cell.shown !== null || /[\p{L}\p{N}_]/u.test(cell.text))
  }

  /** A typed character may join with the one before it, as an accent does. */
  #insert(added: readonly Cell[]): void {
    if (added.length === 0) return
    const { cells, cursor } = this.#now
    const before = cells[cursor - 1]
    const joined =
      before && before.shown === null && added[0]?.shown === null ? cellsOf(before.text + textOf(added)) : []
    const joins = joined.length > 0 && joined.length < added.length + 1
    const [at, put] = joins ? [cursor - 1, joined] : [cursor, added]
    this.#change({ cells: cells.toSpliced(at, cursor - at, ...put), cursor: at + put.length })
  }

  #change(next: Written): void {
    this.#undos.push(this.#now)
    if (this.#undos.length > MOST_UNDOS) this.#undos.shift()
    this.#now = next
  }
}

function cellsOf(text: string): readonly Cell[] {
  return text.split(/(\n)/).flatMap(part => charactersOf(part).map(character => ({ text: character, shown: null })))
}

function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join('')
}

function isLineEnd({ text, shown }: Cell): boolean {
  return text === '\n' && shown === null
}

/** The keys of a line editor, as shells have them. */
const KEYS: Readonly<Record<string, (draft: Draft) => void>> = {
  left: draft => draft.moveTo(draft.cursor - 1),
  right: draft => draft.moveTo(draft.cursor + 1),
  home: draft => draft.moveTo(draft.lineAround().from),
  end: draft => draft.moveTo(draft.lineAround().to),
  backspace: draft => draft.removeTo(draft.cursor - 1),
  delete: draft => draft.removeTo(draft.cursor + 1),
  newline: draft => draft.insert('\n'),
  undo: draft => draft.undo(),
  up: draft => moveUp(draft),
  down: draft => moveDown(draft),
  'ctrl+a': draft => draft.moveTo(draft.lineAround().from),
  'ctrl+e': draft => draft.moveTo(draft.lineAround().to),
  'ctrl+b': draft => draft.moveTo(draft.cursor - 1),
  'ctrl+f': draft => draft.moveTo(draft.cursor + 1),
  'ctrl+d': draft => draft.removeTo(draft.cursor + 1),
  'ctrl+k': draft => draft.removeTo(draft.lineAround().to, true),
  'ctrl+u': draft => draft.removeTo(draft.lineAround().from, true),
  'ctrl+w': draft => draft.removeTo(draft.wordBefore(), true),
  'ctrl+y': draft => draft.yank(),
  'ctrl+left': draft => draft.moveTo(draft.wordBefore()),
  'ctrl+right': draft => draft.moveTo(draft.wordBehind()),
  'meta+b': draft => draft.moveTo(draft.wordBefore()),
  'meta+f': draft => draft.moveTo(draft.wordBehind()),
  'meta+left': draft => draft.moveTo(draft.wordBefore()),
  'meta+right': draft => draft.moveTo(draft.wordBehind()),
  'meta+backspace': draft => draft.removeTo(draft.wordBefore(), true),
  'meta+d': draft => draft.removeTo(draft.wordBehind(), true),
  'meta+return': draft => draft.insert('\n'),
}

/** True if the key was one for the draft. */
export function editDraft(draft: Draft, key: Key): boolean {
  const edit = KEYS[chordOf(key)]
  if (edit) edit(draft)
  else if (key.text !== '' && !key.ctrl && !key.meta) draft.insert(key.text)
  else return false
  return true
}

/** `ctrl+a`, `meta+left`, `up`. */
export function chordOf({ name, ctrl, meta }: Pick<Key, 'name' | 'ctrl' | 'meta'>): string {
  return `${ctrl ? 'ctrl+' : ''}${meta ? 'meta+' : ''}${name}`
}

/** Within the lines of the draft first, then to what was sent before. */
function moveUp(draft: Draft): void {
  const { from } = draft.lineAround()
  if (from === 0) {
    draft.earlier()
    return
  }
  const column = draft.cursor - from
  draft.moveTo(from - 1)
  const above = draft.lineAround()
  draft.moveTo(Math.min(above.to, above.from + column))
}

function moveDown(draft: Draft): void {
  const { from, to } = draft.lineAround()
  if (to === draft.cells.length) {
    draft.later()
    return
  }
  const column = draft.cursor - from
  draft.moveTo(to + 1)
  draft.moveTo(Math.min(draft.lineAround().to, draft.lineAround().from + column))
}
