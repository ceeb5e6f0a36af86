import { type Line, line } from '../screen/line.ts'
import { MarkdownLines } from './markdown-lines.ts'

/** The answer of a model as it comes: lines that are whole, and the one that is not yet. */
export class AnswerStream {
  #markdown = new MarkdownLines()
  #said = ''
  #open = ''

  get isBegun(): boolean {
    return this.#said !== ''
  }

  /** The rows of the lines that became whole. */
  add(delta: string, columns: number): Line[] {
    this.#said += delta
    const lines = (this.#open + delta).split('\n')
    this.#open = lines.pop() ?? ''
    return lines.flatMap(text => this.#markdown.next(text, columns))
  }

  /** The rows of the line under way. */
  open(columns: number): readonly Line[] {
    return this.#open === '' ? [] : this.#markdown.soFar(this.#open, columns)
  }

  /** The answer is on record: the rows of it that are not written yet. A piece may have been lost on the way. */
  end(text: string, columns: number): Line[] {
    const isPart = text.startsWith(this.#said)
    const missing = isPart ? text.slice(this.#said.length) : `\n${text}`
    const lost = isPart ? [] : [line('· some of it was lost on the way; here is all of it', 'dim')]
    const rows = isPart
      ? this.add(`${missing}\n`, columns)
      : [...this.add('\n', columns), ...lost, ...new MarkdownLines().all(text, columns)]
    this.drop()
    return trimmed(rows)
  }

  /** The text so far does not count. */
  drop(): void {
    this.#markdown = new MarkdownLines()
    this.#said = ''
    this.#open = ''
  }
}

function trimmed(rows: readonly Line[]): Line[] {
  const last = rows.findLastIndex(spans => spans.some(({ text }) => text.trim() !== ''))
  return rows.slice(0, last + 1)
}
