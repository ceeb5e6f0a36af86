import type { SyntaxNode } from 'unbash'

type ShellParser = Pick<typeof import('unbash'), 'parse'>

/** No command that a person could judge has more. */
const MOST_PARTS = 20
const LASTS =
  /(?<![&>])&(?![&>\d])|[<>]\(|\b(trap|alias|coproc|exec|eval|source|shopt|enable|hash|nohup|setsid|disown|tmux|at|watch)\b|^\.\s|PROMPT_COMMAND|\(\)/

/** A part of shell text, and where it begins. */
interface Part {
  readonly at: number
  readonly text: string
  /** It may run again, or go on while the next ones run. */
  readonly lasts: boolean
}

/** The commands and pipes with which shell text begins, in their order; up to the first that lasts. Never throws. */
export function firstParts(parser: ShellParser, text: string): readonly Part[] {
  const found: Part[] = []
  try {
    for (const { command, background } of parser.parse(text).commands) {
      const parts = command.type === 'AndOr' ? command.commands : [command]
      for (const part of parts) {
        const own = text.slice(part.pos, part.end)
        const lasts = background === true || found.length > MOST_PARTS || !isPlain(part) || LASTS.test(own)
        found.push({ at: part.pos, text: own, lasts })
        if (lasts) return found
      }
    }
  } catch {
    return []
  }
  return found
}

function isPlain({ type }: SyntaxNode): boolean {
  return type === 'Command' || type === 'Pipeline' || type === 'Redirected'
}
