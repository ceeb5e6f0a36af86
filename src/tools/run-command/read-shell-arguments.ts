import { type Input, shown } from './read-script.ts'
import type { ReadWord } from './read-word.ts'

export interface ShellArguments {
  /** The text that the shell will run, if the command itself holds it. */
  readonly scripts: readonly string[]
  readonly problem: string | null
}

const NOTHING: ShellArguments = { scripts: [], problem: null }

/** The work of `bash …`: the text of `-c`, its input, or a file, which is a program like any other. */
export function readShellArguments(shell: string, words: readonly ReadWord[], input: readonly Input[]): ShellArguments {
  const { inline, fromInput, at } = readFlags(words)
  const operand = words[at]
  const unknown = words.slice(0, at + 1).find(word => !word.literal)
  if (unknown) return unreadable(shell, `takes its script from ${shown(unknown.text)}`)
  if (inline) return operand ? { scripts: [operand.text], problem: null } : unreadable(shell, 'has no script behind -c')
  if (words.length === 1 && /^--(version|help)$/.test(words[0]?.text ?? '')) return NOTHING
  if (operand && !fromInput && !/^\/(dev|proc)\//.test(operand.text)) return NOTHING
  return readInput(shell, input)
}

function readInput(shell: string, input: readonly Input[]): ShellArguments {
  const scripts = input.flatMap(word => (word ? word.text : []))
  const readable = input.length > 0 && input.every(word => word?.literal)
  return readable ? { scripts, problem: null } : { scripts, problem: `${shell} reads its script from standard input` }
}

function unreadable(shell: string, why: string): ShellArguments {
  return { scripts: [], problem: `${shell} ${why}` }
}

interface Flags {
  readonly inline: boolean
  readonly fromInput: boolean
  /** The position of the first word that is no flag. */
  readonly at: number
}

const TAKES_A_WORD = /^--(rcfile|init-file|init-command)$/

function readFlags(words: readonly ReadWord[]): Flags {
  let inline = false
  let fromInput = false
  let at = 0
  for (let word = words[at]; word && isFlag(word.text); word = words[at]) {
    const cluster = word.text.startsWith('--') ? '' : word.text.slice(1)
    inline ||= cluster.includes('c') || word.text.startsWith('--command')
    fromInput ||= cluster.includes('s')
    at += 1 + (TAKES_A_WORD.test(word.text) ? 1 : cluster.replace(/[^oO]/g, '').length)
    if (word.text === '--' || word.text === '-') break
  }
  return { inline, fromInput, at }
}

function isFlag(text: string): boolean {
  return /^[-+]/.test(text)
}
