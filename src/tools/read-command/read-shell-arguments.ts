import { type Input, type ReadWord, shown } from './words/read-word.ts'

export interface ShellArguments {
  /** The text that the shell will run, if the command itself holds it. */
  readonly scripts: readonly string[]
  readonly problem: string | null
  /** A file whose text it runs; `null` if none. */
  readonly file: string | null
}

const NOTHING: ShellArguments = { scripts: [], problem: null, file: null }

/** The work of `bash …`: the text of `-c`, its input, or a file, which is a program like any other. */
export function readShellArguments(shell: string, words: readonly ReadWord[], input: readonly Input[]): ShellArguments {
  const { inline, fromInput, startup, at } = readFlags(words)
  const operand = words[at]
  const unknown = words.slice(0, at + 1).find(word => !word.literal)
  if (unknown) return unreadable(shell, `takes its script from ${shown(unknown.text)}`)
  if (runsNothing(shell, words, at)) return NOTHING
  if (inline && operand) return { scripts: [operand.text], problem: null, file: startup }
  if (inline) return unreadable(shell, 'has no script behind -c')
  if (operand && !fromInput && !/^\/(dev|proc)\//.test(operand.text)) return { ...NOTHING, file: operand.text }
  return readInput(shell, input)
}

/** With `-n` alone shells read a script and do not run it. */
function runsNothing(shell: string, words: readonly ReadWord[], at: number): boolean {
  const [first] = words
  if (words.length === 1) return /^--(version|help)$/.test(first?.text ?? '')
  return at === 1 && first?.text === '-n' && /^(ba|da|z|k)?sh$/.test(shell)
}

function readInput(shell: string, input: readonly Input[]): ShellArguments {
  const scripts = input.flatMap(word => (word ? word.text : []))
  const readable = input.length > 0 && input.every(word => word?.literal)
  return { scripts, problem: readable ? null : `${shell} reads its script from standard input`, file: null }
}

function unreadable(shell: string, why: string): ShellArguments {
  return { scripts: [], problem: `${shell} ${why}`, file: null }
}

interface Flags {
  readonly inline: boolean
  readonly fromInput: boolean
  /** The file that `--rcfile` names. */
  readonly startup: string | null
  /** The position of the first word that is no flag. */
  readonly at: number
}

const STARTUP = /^--(rcfile|init-file|init-command)$/

function readFlags(words: readonly ReadWord[]): Flags {
  let inline = false
  let fromInput = false
  let startup: string | null = null
  let at = 0
  for (let word = words[at]; word && isFlag(word.text); word = words[at]) {
    const cluster = clusterOf(word.text)
    inline ||= cluster.includes('c') || word.text.startsWith('--command')
    fromInput ||= cluster.includes('s')
    if (STARTUP.test(word.text)) startup = words[at + 1]?.text ?? ''
    at += 1 + valuesOf(word.text, cluster)
    if (word.text === '--' || word.text === '-') break
  }
  return { inline, fromInput, startup, at }
}

function clusterOf(flag: string): string {
  return flag.startsWith('--') ? '' : flag.slice(1)
}

/** How many words behind a flag are its values. */
function valuesOf(flag: string, cluster: string): number {
  return STARTUP.test(flag) ? 1 : cluster.replace(/[^oO]/g, '').length
}

function isFlag(text: string): boolean {
  return /^[-+]/.test(text)
}
