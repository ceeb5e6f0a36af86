import { type Inline, inlineOf } from '../../../core/text/markdown/inline.ts'
import { FENCE, HEADING, LISTED, QUOTED, RULE } from '../../../core/text/markdown/line-kinds.ts'
import { visibleProse } from '../../../core/text/visible-text.ts'
import { flowed, type Line, line, type Span } from '../screen/flow.ts'

/** The answer of a model as it arrives: whole lines, and one that is not whole yet. */
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

/** Wider prose is hard to read. */
const WIDEST = 100

/** Reads a text line by line: only a code fence lasts longer than its line. */
class MarkdownLines {
  #fence: string | null = null

  /** The rows of one whole line. */
  next(text: string, columns: number): Line[] {
    const shown = visibleProse(text.replaceAll('\t', '    '))
    const fence = FENCE.exec(shown)?.[1] ?? null
    if (this.#fence !== null) {
      if (fence?.startsWith(this.#fence)) this.#fence = null
      return [line(shown, fence ? 'dim' : 'green')]
    }
    if (fence !== null) {
      this.#fence = fence
      return [line(shown, 'dim')]
    }
    return prose(shown, Math.min(WIDEST, columns))
  }

  /** The rows of a whole text. */
  all(text: string, columns: number): Line[] {
    return text.split('\n').flatMap(each => this.next(each, columns))
  }

  /** The rows of a line that is not over yet: nothing is remembered of it. */
  soFar(text: string, columns: number): Line[] {
    const fence = this.#fence
    const rows = this.next(text, columns)
    this.#fence = fence
    return rows
  }
}

function prose(text: string, width: number): Line[] {
  const [, marks, heading = ''] = HEADING.exec(text) ?? []
  if (marks !== undefined) return flowed(line(heading, 'bold'), width)
  if (RULE.test(text)) return [line('─'.repeat(Math.min(width, 40)), 'dim')]
  const [, indent = '', mark, item = ''] = LISTED.exec(text) ?? []
  if (mark !== undefined) {
    const head = `${indent}${/\d/.test(mark) ? mark : '•'} `
    return flowed([{ text: head, style: null }, ...spansOf(inlineOf(item))], width, ' '.repeat(head.length))
  }
  const [quote, quoted = ''] = QUOTED.exec(text) ?? []
  if (quote !== undefined) return flowed([{ text: '│ ', style: 'dim' }, ...spansOf(inlineOf(quoted))], width, '│ ')
  return flowed(spansOf(inlineOf(text)), width)
}

/** A link shows where it leads. */
function spansOf(nodes: readonly Inline[], style: Span['style'] = null): Span[] {
  return nodes.flatMap(node => {
    if (node.kind === 'text') return [{ text: node.text, style }]
    if (node.kind === 'code') return [{ text: node.text, style: 'green' as const }]
    if (node.kind === 'link') return [...spansOf(node.of, style), { text: ` (${node.url})`, style: 'dim' as const }]
    return spansOf(node.of, node.kind === 'struck' ? 'dim' : 'bold')
  })
}
