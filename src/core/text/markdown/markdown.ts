/**
 * Markdown as agents write it, for surfaces that can draw it. Pure; nothing is fetched, and nothing hides (M1).
 * M2  Line breaks stay, and so do the numbers of lists: prose reads as it was written.
 * M3  Cells beyond the head of a table, and words after a fence, are kept.
 */
import { type Inline, inlineOf } from './inline.ts'
import { FENCE, HEADING, LISTED, QUOTED, RULE } from './line-kinds.ts'
import { isTable, type Table, tableAt } from './table.ts'

export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly of: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly of: readonly Inline[] }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | { readonly kind: 'quote'; readonly of: readonly MarkdownBlock[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'rule' }
  | Table

export interface ListItem {
  /** As it was written: `-`, `3.` */
  readonly marker: string
  readonly of: readonly MarkdownBlock[]
}

export function markdownOf(text: string): readonly MarkdownBlock[] {
  const lines = text.split(/\r?\n/).map(line => line.replace(/^[ \t]+/, blank => blank.replaceAll('\t', '    ')))
  return blocksOf(lines, 0)
}

interface Read {
  readonly block: MarkdownBlock
  /** The line behind it. */
  readonly next: number
}

type Reader = (lines: readonly string[], at: number, depth: number) => Read | null

/** Deeper lists and quotes are plain text. */
const DEEPEST = 8

function blocksOf(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { block, next } = blockAt(lines, at, depth)
    blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number, depth: number): Read {
  for (const reader of depth > DEEPEST ? [] : READERS) {
    const read = reader(lines, at, depth)
    if (read) return read
  }
  return paragraphAt(lines, at)
}

const READERS: readonly Reader[] = [
  (lines, at) => codeAt(lines, at),
  (lines, at) => {
    const [, marks = '', words = ''] = HEADING.exec(lines[at] ?? '') ?? []
    return marks === '' ? null : { block: { kind: 'heading', level: marks.length, of: inlineOf(words) }, next: at + 1 }
  },
  (lines, at) => (RULE.test(lines[at] ?? '') ? { block: { kind: 'rule' }, next: at + 1 } : null),
  (lines, at) => tableAt(lines, at),
  (lines, at, depth) => quoteAt(lines, at, depth),
  (lines, at, depth) => listAt(lines, at, depth),
]

function codeAt(lines: readonly string[], at: number): Read | null {
  const [, fence = '', info = ''] = FENCE.exec(lines[at] ?? '') ?? []
  if (fence === '') return null
  const end = firstFrom(lines, at + 1, line => isFenceEnd(line, fence))
  const block: MarkdownBlock = { kind: 'code', info: info.trim(), text: lines.slice(at + 1, end).join('\n') }
  return { block, next: end + 1 }
}

/** A fence ends with at least as many of its own signs, and nothing else. */
function isFenceEnd(line: string, fence: string): boolean {
  const found = line.trim()
  return found.startsWith(fence) && found.replaceAll(fence[0] ?? '', '') === ''
}

function quoteAt(lines: readonly string[], at: number, depth: number): Read | null {
  const next = firstFrom(lines, at, line => !QUOTED.test(line))
  if (next === at) return null
  const inside = lines.slice(at, next).map(line => QUOTED.exec(line)?.[1] ?? '')
  return { block: { kind: 'quote', of: blocksOf(inside, depth + 1) }, next }
}

function listAt(lines: readonly string[], at: number, depth: number): Read | null {
  const items: ListItem[] = []
  const sign = signOf(lines[at])
  let next = at
  while (sign !== null && next < lines.length && signOf(lines[next]) === sign && !RULE.test(lines[next] ?? '')) {
    const item = itemAt(lines, next)
    items.push({ marker: item.marker, of: blocksOf(item.inside, depth + 1) })
    next = item.next
  }
  return items.length === 0 ? null : { block: { kind: 'list', items }, next }
}

/** `-`, `*`, `+`, or the sign behind a number; `null` if the line begins no item of this list. */
function signOf(line: string | undefined): string | null {
  const [, indent = '', marker] = LISTED.exec(line ?? '') ?? []
  return marker === undefined || indent.length > MOST_INDENT ? null : (marker.at(-1) ?? null)
}

/** A list within a list is indented by this much or more. */
const LEAST_NESTING = 2
const MOST_INDENT = 3

interface ItemLines {
  readonly marker: string
  readonly inside: readonly string[]
  readonly next: number
}

/** The lines of an item: those that are indented as its words are, and what goes on without a blank line. */
function itemAt(lines: readonly string[], at: number): ItemLines {
  const [whole = '', indent = '', marker = '', words = ''] = LISTED.exec(lines[at] ?? '') ?? []
  const width = words === '' ? indent.length + marker.length + 1 : whole.length - words.length
  const next = firstFrom(lines, at + 1, (line, index) => {
    const isNested = indentOf(line) >= width || (indentOf(line) >= indent.length + LEAST_NESTING && LISTED.test(line))
    return !isBlank(line) && !isNested && (isBlank(lines[index - 1]) || signOf(line) !== null || beginsBlock(line))
  })
  const below = lines.slice(at + 1, next).map(line => line.slice(Math.min(indentOf(line), width)))
  return { marker, inside: [words, ...below], next }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function paragraphAt(lines: readonly string[], at: number): Read {
  const next = firstFrom(lines, at + 1, (line, index) => isBlank(line) || beginsBlock(line) || isTable(lines, index))
  return { block: { kind: 'paragraph', of: inlineOf(lines.slice(at, next).join('\n')) }, next }
}

/** True if a paragraph ends before this line. A number other than 1 may be part of a sentence. */
function beginsBlock(line: string): boolean {
  const marker = LISTED.exec(line)?.[2] ?? null
  const isListed = marker !== null && (!/\d/.test(marker) || Number.parseInt(marker, 10) === 1)
  return isListed || [FENCE, HEADING, RULE, QUOTED].some(kind => kind.test(line))
}

/** The number of the first line from `from` on that fits; that of the end if none does. */
function firstFrom(lines: readonly string[], from: number, fits: (line: string, index: number) => boolean): number {
  let at = from
  while (at < lines.length && !fits(lines[at] ?? '', at)) at += 1
  return at
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}
