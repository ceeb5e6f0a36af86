/** Markdown as lines of a terminal: headings, lists, quotes, rules, code and emphasis. Every character stays readable. */
import { visibleProse } from '../../../core/text/visible-text.ts'
import { flowed } from '../screen/flow.ts'
import { type Line, line, type Span } from '../screen/line.ts'

/** Wider prose is hard to read. */
const WIDEST = 100
const FENCE = /^\s{0,3}(```+|~~~+)/
const HEADING = /^#{1,6}\s+(.*)$/
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/
const LISTED = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/
const QUOTED = /^(\s{0,3}>\s?)+(.*)$/
const EMPHASIS = /(`+)(.+?)\1|(\*\*|__)(?=\S)(.+?)(?<=\S)\3|(?<![\w*])(\*|_)(?=[^\s*_])(.+?)(?<=[^\s*_])\5(?![\w*])/gu

/** Reads a text line by line: only a code fence lasts longer than its line. */
export class MarkdownLines {
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

  /** The same of a line that is not over yet: nothing is remembered of it. */
  soFar(text: string, columns: number): Line[] {
    const fence = this.#fence
    const rows = this.next(text, columns)
    this.#fence = fence
    return rows
  }
}

function prose(text: string, width: number): Line[] {
  const [, heading] = HEADING.exec(text) ?? []
  if (heading !== undefined) return flowed(line(heading, 'bold'), width)
  if (RULE.test(text)) return [line('─'.repeat(Math.min(width, 40)), 'dim')]
  const [, indent = '', mark, item = ''] = LISTED.exec(text) ?? []
  if (mark !== undefined) {
    const head = `${indent}${/\d/.test(mark) ? mark : '•'} `
    return flowed([{ text: head, style: null }, ...emphasised(item)], width, ' '.repeat(head.length))
  }
  const [, quote, quoted = ''] = QUOTED.exec(text) ?? []
  if (quote !== undefined) return flowed([{ text: '│ ', style: 'dim' }, ...emphasised(quoted)], width, '│ ')
  return flowed(emphasised(text), width)
}

function emphasised(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  for (const match of text.matchAll(EMPHASIS)) {
    const [whole, , code, , strong, , soft] = match
    if (match.index > end) spans.push({ text: text.slice(end, match.index), style: null })
    spans.push({ text: code ?? strong ?? soft ?? '', style: code === undefined ? 'bold' : 'green' })
    end = match.index + whole.length
  }
  return end === text.length && spans.length > 0 ? spans : [...spans, { text: text.slice(end), style: null }]
}
