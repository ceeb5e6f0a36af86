/**
 * Words of Markdown within one block. Pure, linear, and honest:
 * M1  P9: only marks of emphasis, code and links leave the text; an address stays in the text, and so do images, HTML,
 *     entities, definitions and titles of links.
 */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly of: readonly Inline[] }
  | { readonly kind: 'link'; readonly of: readonly Inline[]; readonly url: string }

export function inlineOf(text: string): readonly Inline[] {
  const tree = new InlineTree()
  for (const token of tokensOf(text)) tree.take(token)
  return tree.end()
}

type Token =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'mark'; readonly mark: string; readonly opens: boolean; readonly closes: boolean }
  /** The end of a label: the address of a link, or `null` if it is only a bracket. */
  | { readonly kind: 'label-end'; readonly url: string | null }

const MARKS: Readonly<Record<string, readonly ('strong' | 'emphasis' | 'struck')[]>> = {
  '*': ['emphasis'],
  '**': ['strong'],
  '***': ['strong', 'emphasis'],
  _: ['emphasis'],
  '~~': ['struck'],
}
const LABEL = '['
const DEEPEST = 12

interface Frame {
  /** The mark that opened it; empty for the whole. */
  readonly mark: string
  nodes: Inline[]
}

/** The tree so far: a frame for each mark that is open. */
class InlineTree {
  readonly #frames: Frame[] = [{ mark: '', nodes: [] }]

  take(token: Token): void {
    if (token.kind === 'mark') this.#takeMark(token)
    else if (token.kind === 'label-end') this.#endLabel(token.url)
    else this.#add(token)
  }

  end(): readonly Inline[] {
    while (this.#frames.length > 1) this.#spill()
    return this.#top.nodes
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? { mark: '', nodes: [] }
  }

  #isOpen(mark: string): boolean {
    return this.#frames.some(frame => frame.mark === mark)
  }

  #takeMark({ mark, opens, closes }: Extract<Token, { kind: 'mark' }>): void {
    const ended = closes ? this.#endedBy(mark) : []
    for (const each of ended) this.#close(each)
    if (ended.length > 0) return
    if (opens && this.#frames.length < DEEPEST) this.#frames.push({ mark, nodes: [] })
    else this.#add({ kind: 'text', text: mark })
  }

  /** The open marks that this one closes, the inner one first. */
  #endedBy(mark: string): readonly string[] {
    if (this.#isOpen(mark)) return [mark]
    if (mark !== '***' || !this.#isOpen('*') || !this.#isOpen('**')) return []
    return this.#top.mark === '*' ? ['*', '**'] : ['**', '*']
  }

  #close(mark: string): void {
    while (this.#top.mark !== mark) this.#spill()
    const nodes = this.#frames.pop()?.nodes ?? []
    const [wrapped] = (MARKS[mark] ?? []).reduceRight<Inline[]>((of, kind) => [{ kind, of }], nodes)
    if (wrapped) this.#add(wrapped)
  }

  #endLabel(url: string | null): void {
    const isOpen = this.#isOpen(LABEL)
    while (isOpen && this.#top.mark !== LABEL) this.#spill()
    if (isOpen && url !== null) {
      const of = this.#frames.pop()?.nodes ?? []
      this.#add({ kind: 'link', of, url })
    } else {
      if (isOpen) this.#spill()
      this.#add({ kind: 'text', text: url === null ? ']' : `](${url})` })
    }
  }

  /** A mark that nothing closes is text. */
  #spill(): void {
    const { mark = '', nodes = [] } = this.#frames.pop() ?? {}
    this.#add({ kind: 'text', text: mark })
    for (const node of nodes) this.#add(node)
  }

  #add(node: Inline): void {
    const { nodes } = this.#top
    const last = nodes.at(-1)
    if (node.kind === 'text' && last?.kind === 'text')
      nodes[nodes.length - 1] = { ...node, text: last.text + node.text }
    else nodes.push(node)
  }
}

const SPECIAL = /`+|\*+|_+|~+|\\[*_`[\]#~|]|\]\((?:[^\s()]{1,2000})(?:\([^\s()]{0,200}\)[^\s()]{0,2000}){0,3}\)|!?\[/g

function* tokensOf(text: string): Generator<Token> {
  const ticks = new Ticks(text)
  const special = new RegExp(SPECIAL)
  let end = 0
  for (let match = special.exec(text); match; match = special.exec(text)) {
    const [found] = match
    const { index } = match
    if (index > end) yield { kind: 'text', text: text.slice(end, index) }
    const close = found.startsWith('`') ? ticks.closeOf(found, index) : null
    if (close !== null) {
      yield { kind: 'code', text: text.slice(index + found.length, close) }
      special.lastIndex = close + found.length
    } else yield tokenOf(found, text, index)
    end = special.lastIndex
  }
  if (end < text.length) yield { kind: 'text', text: text.slice(end) }
}

function tokenOf(found: string, text: string, index: number): Token {
  if (found === LABEL) return { kind: 'mark', mark: LABEL, opens: true, closes: false }
  if (found.startsWith(']')) return { kind: 'label-end', url: found === ']' ? null : found.slice(2, -1) }
  if (found.startsWith('\\')) return { kind: 'text', text: found.slice(1) }
  if (!Object.hasOwn(MARKS, found)) return { kind: 'text', text: found }
  const [before, after] = [text[index - 1] ?? ' ', text[index + found.length] ?? ' ']
  return { kind: 'mark', mark: found, ...flanks(before, after) }
}

/** Patterns and paths such as `src/**\/*.ts`, sums and names have such characters too: they are no emphasis there. */
const NO_OPENING = { before: /[\w/\\.$=+%@&#)\]]/, after: /[\s/\\.]/ }
const NO_CLOSING = { before: /\s/, after: /[\w/\\$=+%@&#([]/ }

function flanks(before: string, after: string): { readonly opens: boolean; readonly closes: boolean } {
  return {
    opens: !NO_OPENING.before.test(before) && !NO_OPENING.after.test(after),
    closes: !NO_CLOSING.before.test(before) && !NO_CLOSING.after.test(after),
  }
}

/** The backticks of a text, so that the other end of code is found at once. */
class Ticks {
  /** Where runs of this length begin, the last one first. */
  readonly #runs = new Map<number, number[]>()

  constructor(text: string) {
    const found = [...text.matchAll(/`+/g)].toReversed()
    for (const { 0: run, index } of found) {
      const places = this.#runs.get(run.length)
      if (places) places.push(index)
      else this.#runs.set(run.length, [index])
    }
  }

  closeOf(run: string, index: number): number | null {
    const places = this.#runs.get(run.length) ?? []
    while (places.length > 0 && (places.at(-1) ?? 0) <= index) places.pop()
    return places.at(-1) ?? null
  }
}
