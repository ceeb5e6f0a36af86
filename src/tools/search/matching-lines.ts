import { createContext, Script } from 'node:vm'
import { messageOf, ToolError } from '../../core/errors.ts'

export interface Sought {
  readonly pattern: string
  readonly isLiteral: boolean
  readonly ignoreCase: boolean
}

/** Milliseconds for one file. An expression that needs longer may need for ever. */
const DEADLINE_MS = 2_000

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g

const FIND = new Script(`
  const expression = new RegExp(source, flags)
  for (let line = 0; line < lines.length && found.length < most; line += 1)
    if (expression.test(lines[line])) found.push(line)
`)

/** Finds the lines of a text that an expression of a model matches. Another context can be stopped in the middle of one. */
export class MatchingLines {
  readonly #source: string
  readonly #flags: string

  /** @throws ToolError `INVALID_PATTERN` */
  constructor({ pattern, isLiteral, ignoreCase }: Sought) {
    this.#source = isLiteral ? pattern.replace(SYNTAX, '\\$&') : pattern
    this.#flags = (ignoreCase ? 'i' : '') + unicodeFlag(this.#source)
  }

  /** The indexes of at most `most` lines. @throws ToolError `PATTERN_TOO_SLOW` */
  in(lines: readonly string[], most: number): number[] {
    const found: number[] = []
    try {
      const context = { source: this.#source, flags: this.#flags, lines, most, found }
      FIND.runInContext(createContext(context), { timeout: DEADLINE_MS })
      return found
    } catch (thrown) {
      throw new ToolError(
        'PATTERN_TOO_SLOW',
        `The pattern took longer than ${DEADLINE_MS / 1000} s on one file. Use a simpler one, without repeats in repeats.`,
        { cause: thrown },
      )
    }
  }
}

/** Models escape more than the flag u takes. @throws ToolError `INVALID_PATTERN` */
function unicodeFlag(source: string): 'u' | '' {
  for (const flag of ['u', ''] as const) {
    try {
      new RegExp(source, flag)
      return flag
    } catch (thrown) {
      if (flag === '') {
        const how = 'Correct it, or set `literal` to look for the text as it is.'
        throw new ToolError('INVALID_PATTERN', `${messageOf(thrown)}. ${how}`, { cause: thrown })
      }
    }
  }
  return 'u'
}
