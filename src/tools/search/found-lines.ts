import type { JsonObject } from '../../core/text/json.ts'

const MOST_MATCHES = 200
const MOST_CHARACTERS = 48 * 1024
/** A longer line is data. */
const LONGEST_LINE = 400

/** What a search found, as text with bounds. */
export class FoundLines {
  readonly #around: number
  readonly #blocks: string[] = []
  #matches = 0
  #size = 0
  #isCut = false

  /** `around`: how many lines are shown before and after each match. */
  constructor(around: number) {
    this.#around = around
  }

  /** How many matches are wanted of one more file: one more than fit shows that there are more. */
  get room(): number {
    return MOST_MATCHES - this.#matches + 1
  }

  get isFull(): boolean {
    return this.#isCut
  }

  /** `matches`: indexes of lines. */
  add(path: string, lines: readonly string[], matches: readonly number[]): void {
    if (matches.length === 0) return
    const shown = matches.slice(0, MOST_MATCHES - this.#matches)
    const block = [path, ...this.#linesAround(lines, shown)].join('\n')
    this.#isCut = shown.length < matches.length || this.#size + block.length > MOST_CHARACTERS
    if (this.#size > 0 && this.#size + block.length > MOST_CHARACTERS) return
    this.#blocks.push(block.slice(0, MOST_CHARACTERS))
    this.#matches += shown.length
    this.#size += block.length
  }

  asJson(): JsonObject {
    return {
      content: this.#blocks.join('\n\n'),
      matches: this.#matches,
      files: this.#blocks.length,
      more: this.#isCut,
    }
  }

  #linesAround(lines: readonly string[], matches: readonly number[]): string[] {
    const among = new Set(matches)
    const wanted = new Set<number>()
    for (const at of matches)
      for (let near = at - this.#around; near <= at + this.#around; near += 1)
        if (near >= 0 && near < lines.length) wanted.add(near)
    return [...wanted].map(at => `${at + 1}${among.has(at) ? ':' : '-'}${shortened(lines[at] ?? '')}`)
  }
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} [… ${line.length} characters …]` : line
}
