/**
 * The fenced blocks of a page. A block is saved if the paragraph before it says "Save this as `NAME`". A block that cannot
 * run has `<!-- not run: REASON -->` before it.
 */
import { readFileSync } from 'node:fs'

export interface Snippet {
  /** As `docs/running.md:12`: the line of its first line of text. */
  readonly place: string
  readonly line: number
  readonly language: string
  /** What stands behind the language. */
  readonly info: string
  readonly text: string
  /** The text before it, up to an empty line. */
  readonly lead: string
  /** The file that its reader is told to save it as. */
  readonly saveAs: string | null
  /** Why it is not run; `null` if it is. */
  readonly notRun: string | null
}

const FENCE = /^(?<indent> *)(?<ticks>```+)(?<language>\S*) *(?<info>.*)$/

export function snippetsOf(page: string, text: string = readFileSync(page, 'utf8')): Snippet[] {
  const lines = text.split('\n')
  const found: Snippet[] = []
  for (let at = 0; at < lines.length; at++) {
    const fence = FENCE.exec(lines[at] ?? '')?.groups
    if (!fence) continue
    const { indent = '', ticks = '', language = '', info = '' } = fence
    const end = lines.indexOf(`${indent}${ticks}`, at + 1)
    if (end < 0) throw new Error(`${page}:${at + 1}: this block has no end`)
    const body = lines.slice(at + 1, end).map(line => line.slice(indent.length))
    const place = { place: `${page}:${at + 2}`, line: at + 2 }
    found.push({ ...place, language, info, text: body.join('\n'), ...saidBefore(lines.slice(0, at).join('\n')) })
    at = end
  }
  return found
}

function saidBefore(text: string): Pick<Snippet, 'lead' | 'saveAs' | 'notRun'> {
  const notRun = /<!-- not run: (.+) -->\s*$/.exec(text)?.[1] ?? null
  const lead =
    text
      .trimEnd()
      .replace(/<!--.*-->$/, '')
      .trimEnd()
      .split('\n\n')
      .at(-1) ?? ''
  return { lead, saveAs: /Save this as `([^`]+)`/.exec(lead)?.[1] ?? null, notRun }
}
