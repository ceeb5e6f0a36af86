/** HTML as Markdown, in one pass without a tree: a page as large as it may be takes little time, however deep it is. */
import type { Handler, Parser } from 'htmlparser2'
import { MarkdownText } from './markdown-text.ts'

export interface Markdown {
  readonly title: string | null
  readonly text: string
}

type ParserOf = new (handler: Partial<Handler>) => Pick<Parser, 'write' | 'end'>

/** No page is that deep; the parser looks through all open elements for some of what comes. */
const DEEPEST = 1000
const PIECE = 16 * 1024
/** Short links become long ones: a page may be much shorter than its Markdown. */
const LONGEST = 8 * 1024 * 1024
const LONGEST_ADDRESS = 2000

export function htmlMarkdown(html: string, base: string, { Parser: Parse }: { readonly Parser: ParserOf }): Markdown {
  const reading = new Reading(base)
  const parser = new Parse({
    onopentag: (name, attributes) => reading.open(name, attributes),
    onclosetag: name => reading.close(name),
    ontext: text => reading.text(text),
  })
  for (let at = 0; at < html.length && !reading.isFull; at += PIECE) parser.write(html.slice(at, at + PIECE))
  parser.end()
  return reading.result()
}

type Attributes = Readonly<Record<string, string>>

const SKIPPED: ReadonlySet<string> = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'canvas', 'select', 'datalist'],
])

class Reading {
  #depth = 0
  readonly #markdown = new MarkdownText()
  readonly #links: (string | null)[] = []
  #base: string
  #title: string | null = null
  #inTitle = false
  /** How many elements are open within one that is left out; 0 outside. */
  #skipped = 0

  constructor(base: string) {
    this.#base = base
  }

  get isFull(): boolean {
    return this.#depth >= DEEPEST || this.#markdown.length > LONGEST
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++
    this.#inTitle = false
    if (this.#skipped > 0 || SKIPPED.has(name) || 'hidden' in attributes) this.#skipped++
    else if (name === 'title') this.#openTitle()
    else if (name === 'base') this.#base = this.#resolved(attributes['href']) ?? this.#base
    else if (name === 'a') this.#openLink(attributes['href'])
    else if (name === 'img') this.#image(attributes)
    else this.#markdown.open(name, attributes['class'] ?? '')
  }

  close(name: string): void {
    this.#depth--
    this.#inTitle = false
    if (this.#skipped > 0) this.#skipped--
    else if (name === 'a') this.#closeLink()
    else this.#markdown.close(name)
  }

  text(text: string): void {
    if (this.#skipped > 0) return
    if (this.#inTitle) this.#title += text
    else this.#markdown.text(text)
  }

  result(): Markdown {
    const title = this.#title?.replaceAll(/\s+/g, ' ').trim() ?? ''
    return { title: title === '' ? null : title.slice(0, 300), text: this.#markdown.result() }
  }

  #openTitle(): void {
    this.#inTitle = this.#title === null
    this.#title ??= ''
  }

  #openLink(href: string | undefined): void {
    this.#links.push(href?.startsWith('#') ? null : this.#resolved(href))
    this.#markdown.openSpan()
  }

  #closeLink(): void {
    const href = this.#links.pop() ?? null
    this.#markdown.closeSpan(text => (href === null || text === '' ? text : `[${text}](${href})`))
  }

  #image({ alt = '', src }: Attributes): void {
    const [name, from] = [alt.replaceAll(/\s+/g, ' ').trim(), this.#resolved(src)]
    if (name !== '') this.#markdown.text(from === null ? name : `![${name}](${from})`)
  }

  /** Of what can be fetched; `null` for scripts and data. */
  #resolved(href: string | undefined): string | null {
    if (href === undefined || !URL.canParse(href.trim(), this.#base)) return null
    const url = new URL(href.trim(), this.#base)
    return /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= LONGEST_ADDRESS ? url.href : null
  }
}
