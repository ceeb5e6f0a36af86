import { wrappersAtWork } from './command-wrappers.ts'
import type { ReadCommand, ScriptReading } from './read-script.ts'
import { readShellArguments } from './read-shell-arguments.ts'

/** One word in the few forms that every shell reads alike. */
const PLAIN_WORD = /(?:[\w./:=@%+,~^\p{L}\p{N}\p{M}-]|\\[ -~]|'[^'\n]*'|"(?:[^"\\$`\n]|\\[^\n])*")+/uy
const BLANKS = /[ \t]*/y

/**
 * The words of a command that is nothing but a program and literal arguments, joined by spaces; otherwise `null`. A
 * pattern may permit what this returns, so a second, far simpler reader must have read the same words from the text.
 */
export function readPlainCommand(source: string, script: ScriptReading): string | null {
  const [command] = script.commands
  if (!script.single || script.commands.length !== 1 || !command?.plain || script.problems.length > 0) return null
  const words = command.words.map(word => word.text)
  const again = splitPlainly(source)
  if (again === null || again.length !== words.length || again.some((word, at) => word !== words[at])) return null
  const isPlain = isPlainProgram(words[0] ?? '') && !words.some(turnsBack) && runsNothingElse(command, words)
  return isPlain ? words.join(' ') : null
}

/** A rule may permit `bash scripts/build.sh` as it may permit a program. */
function runsNothingElse(command: ReadCommand, words: readonly string[]): boolean {
  const atWork = wrappersAtWork(words, 0)
  return atWork.every(({ wrapper: { runs } }) => {
    const isFile = runs === 'file' && words.length > 1
    return isFile || (runs === 'shell' && readShellArguments('', command.words.slice(1), []).file === words[1])
  })
}

/** A name with white space in it would read as several words; `~/x` and `A=1` are more than names. */
function isPlainProgram(program: string): boolean {
  return /^[^\s=~%]+$/u.test(program)
}

/** `build/../x` reads as if it lay below `build`, and would be permitted by patterns that mean what lies there. */
function turnsBack(word: string): boolean {
  const steps = word.split('/').filter(step => step !== '' && step !== '.')
  return steps.some((step, at) => step === '..' && at > 0 && steps[at - 1] !== '..')
}

function splitPlainly(source: string): string[] | null {
  const words: string[] = []
  const text = source.replace(/(?<!\n)\n+$/, '')
  for (let at = match(BLANKS, text, 0).length; at < text.length; ) {
    const word = match(PLAIN_WORD, text, at)
    const blanks = match(BLANKS, text, at + word.length)
    if (word === '' || (blanks === '' && at + word.length < text.length)) return null
    words.push(dequoted(word))
    at += word.length + blanks.length
  }
  return words
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function dequoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? ''
    },
  )
}
