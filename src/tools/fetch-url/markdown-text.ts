/** Lines of Markdown, made of elements as they open and close. */

/** Of a list item or a quotation: how its first line begins, and all that follow. */
interface Block {
  readonly name: string
  first: string
  readonly rest: string
}

interface Table {
  /** Cells of the row that is open; `null` if the table only arranges a page. */
  cells: string[] | null
  rows: number
}

const SPANS: ReadonlyMap<string, string> = new Map([
  ...([
    ['em', '*'],
    ['i', '*'],
    ['strong', '**'],
    ['b', '**'],
  ] as const),
  ...([
    ['code', '`'],
    ['del', '~~'],
    ['s', '~~'],
  ] as const),
])
const APART: ReadonlySet<string> = new Set([
  ...['p', 'section', 'article', 'header', 'footer', 'main', 'nav', 'aside', 'figure', 'form', 'dl', 'details', 'hr'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'blockquote', 'pre', 'ul', 'ol', 'body', 'fieldset'],
])
const LINES: ReadonlySet<string> = new Set([
  ...['div', 'li', 'tr', 'dt', 'dd', 'figcaption', 'caption', 'summary', 'address', 'br', 'option', 'legend', 'label'],
])

/** A longer line is ended: nothing is gained by it, and spans in it take time. */
const LONGEST_LINE = 8 * 1024
/** Deeper lists and quotations are written like their parents. */
const DEEPEST_BLOCK = 20

export class MarkdownText {
  /** How much text there is. */
  length = 0
  readonly #lines: string[] = []
  readonly #blocks: Block[] = []
  readonly #tables: Table[] = []
  /** Where the spans begin in the line that is being written. */
  readonly #spans: number[] = []
  readonly #counts: number[] = []
  #line = ''
  #heading = ''
  #wantsGap = false
  #pre: string | null = null
  #language = ''

  open(name: string, className: string): void {
    if (this.#pre !== null) this.#openInCode(name, className)
    else if (SPANS.has(name)) this.openSpan()
    else this.#openBlock(name, className)
  }

  close(name: string): void {
    const sign = SPANS.get(name)
    if (this.#pre !== null) {
      if (name === 'pre') this.#closeCode()
    } else if (sign === undefined) this.#closeBlock(name)
    else this.closeSpan(text => (text === '' ? '' : `${sign}${text}${sign}`))
  }

  text(text: string): void {
    if (this.#pre !== null) {
      this.#pre += text
      return
    }
    const words = text.replaceAll(/[ \t\r\n\f]+/g, ' ')
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? words.trimStart() : words
    if (this.#line.length <= LONGEST_LINE) return
    this.#endTables()
    this.#endLine()
  }

  openSpan(): void {
    this.#spans.push(this.#line.length)
  }

  /** Writes what the span holds anew; a span that a line ended within keeps the rest of its text. */
  closeSpan(written: (text: string) => string): void {
    const start = Math.min(this.#spans.pop() ?? 0, this.#line.length)
    if (this.#pre !== null) return
    const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(this.#line.slice(start)) ?? []
    this.#line = `${this.#line.slice(0, start)}${before}${written(text)}${after}`
  }

  result(): string {
    if (this.#pre !== null) this.#closeCode()
    this.#endLine()
    return this.#lines.join('\n')
  }

  #openBlock(name: string, className: string): void {
    this.#endBefore(name)
    this.#open(name, className)
  }

  #closeBlock(name: string): void {
    this.#close(name)
    this.#endBefore(name)
    if (/^h[1-6]$/.test(name)) this.#heading = ''
  }

  #endBefore(name: string): void {
    if (APART.has(name)) this.#part()
    else if (LINES.has(name)) this.#endLine()
  }

  #open(name: string, className: string): void {
    if (/^h[1-6]$/.test(name)) this.#heading = `${'#'.repeat(Number(name[1]))} `
    else if (name === 'ul' || name === 'ol') this.#counts.push(name === 'ol' ? 1 : 0)
    else if (name === 'li') this.#openItem()
    else if (name === 'blockquote') this.#begin({ name, first: '> ', rest: '> ' })
    else if (name === 'pre') this.#openCode(className)
    else if (name === 'hr') this.#line = '---'
    else this.#openInTable(name)
  }

  #close(name: string): void {
    if (name === 'li' || name === 'blockquote') this.#leave(name)
    else if (name === 'ul' || name === 'ol') this.#closeList()
    else if (name === 'td' || name === 'th') this.#closeCell()
    else if (name === 'tr') this.#closeRow()
    else if (name === 'table') this.#tables.pop()
  }

  #openItem(): void {
    const count = this.#counts.at(-1) ?? 0
    if (count > 0) this.#counts[this.#counts.length - 1] = count + 1
    const first = count > 0 ? `${count}. ` : '- '
    this.#begin({ name: 'li', first, rest: ' '.repeat(first.length) })
  }

  #begin(block: Block): void {
    const isDeep = this.#blocks.length >= DEEPEST_BLOCK
    this.#blocks.push(isDeep ? { name: block.name, first: '', rest: '' } : block)
  }

  #leave(name: string): void {
    this.#endLine()
    if (this.#blocks.at(-1)?.name === name) this.#blocks.pop()
  }

  #closeList(): void {
    this.#endLine()
    this.#counts.pop()
  }

  /** A line that a table of the page's layout goes on in, or a piece of a cell. */
  #endLine(): void {
    if (this.#tables.at(-1)?.cells) {
      if (!this.#line.endsWith(' ')) this.text(' ')
      return
    }
    const line = this.#line.trim()
    this.#line = ''
    if (line !== '') this.#write([this.#heading + line])
  }

  #part(): void {
    this.#endLine()
    // A list within an item follows it at once.
    this.#wantsGap ||= this.#counts.length === 0
  }

  #write(lines: readonly string[]): void {
    if (this.#wantsGap && this.#lines.length > 0) this.#lines.push(this.#prefix('rest').trimEnd())
    this.#wantsGap = false
    for (const line of lines) {
      const whole = this.#prefix('first') + line
      this.#lines.push(whole)
      this.length += whole.length
      for (const block of this.#blocks) block.first = block.rest
    }
  }

  #prefix(part: 'first' | 'rest'): string {
    return this.#blocks.map(block => block[part]).join('')
  }

  #openCode(className: string): void {
    this.#pre = ''
    this.#language = languageOf(className)
  }

  #openInCode(name: string, className: string): void {
    if (name === 'br') this.#pre += '\n'
    if (name === 'code') this.#language ||= languageOf(className)
  }

  #closeCode(): void {
    const code = (this.#pre ?? '').replace(/^\n/, '').trimEnd()
    this.#pre = null
    if (code === '') return
    const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)))
    if (this.#tables.at(-1)?.cells) {
      this.text(`\`${code}\``)
      return
    }
    this.#write([`${fence}${this.#language}`, ...code.split('\n'), fence])
    this.#wantsGap = true
  }

  /** A table that holds another one arranges the page: its cells are parts of the page. */
  #openInTable(name: string): void {
    if (name === 'tr' || name === 'table') this.#closeRow()
    if (name === 'table') {
      this.#endTables()
      this.#endLine()
      this.#tables.push({ cells: [], rows: 0 })
    }
  }

  #endTables(): void {
    for (const table of this.#tables) table.cells = null
  }

  #closeCell(): void {
    const cells = this.#tables.at(-1)?.cells
    if (!cells) {
      this.#endLine()
      return
    }
    cells.push(this.#line.trim().replaceAll('|', '\\|').replaceAll('\n', ' '))
    this.#line = ''
  }

  #closeRow(): void {
    const table = this.#tables.at(-1)
    const cells = table?.cells
    if (!table || !cells) return
    table.cells = []
    if (cells.every(cell => cell === '')) return
    const line = `| ${cells.join(' | ')} |`
    this.#write(table.rows++ === 0 ? [line, `|${' --- |'.repeat(cells.length)}`] : [line])
  }
}

function languageOf(className: string): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/.exec(className)?.[1] ?? ''
}
