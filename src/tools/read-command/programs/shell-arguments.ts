import { type Input, type ReadWord, shown } from '../text/read-word.ts'

export interface ShellArguments {
  /** The text that the shell will run, if the command itself holds it. */
  readonly scripts: readonly string[]
  readonly problem: string | null
  /** A file whose text it runs; `null` if none. */
  readonly file: string | null
}

const NOTHING: ShellArguments = { scripts: [], problem: null, file: null }
const STARTUP = /^--(rcfile|init-file|init-command)$/

/** The work of `bash …`, `source …`: the text of `-c`, its input, or a file. */
export function readShellArguments(shell: string, words: readonly ReadWord[], input: readonly Input[]): ShellArguments {
  const { inline, fromInput, startup, at } = readFlags(words)
  const operand = words[at]
  const unknown = words.slice(0, at + 1).find(word => !word.literal)
  if (/^(?:source|\.)$/.test(shell)) return readSource(shell, words[0])
  if (unknown) return { ...NOTHING, problem: `${shell} takes its script from ${shown(unknown.text)}` }
  if (runsNothing(shell, words, at)) return NOTHING
  if (inline && operand) return { scripts: [operand.text], problem: null, file: startup }
  if (inline) return { ...NOTHING, problem: `${shell} has no script behind -c` }
  if (operand && !fromInput && !/^\/(dev|proc)\//.test(operand.text)) return { ...NOTHING, file: operand.text }
  const isReadable = input.length > 0 && input.every(word => word?.literal)
  const problem = isReadable ? null : `${shell} reads its script from standard input`
  return { scripts: input.flatMap(word => word?.text ?? []), problem, file: null }
}

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\})`
/** Tools write them, and a command that uses such a tool begins with them. */
const SETS_UP = new RegExp(
  [
    String.raw`^(?:[\w./~-]*\/)?\.?v?env[\w.-]*\/bin\/activate(?:\.\w+)?$`,
    String.raw`^${HOME}\/(?:\.nvm\/nvm\.sh|\.cargo\/env|\.(?:bashrc|profile|bash_profile|zshrc))$`,
    String.raw`^(?:\$NVM_DIR|\$\{NVM_DIR\})\/nvm\.sh$`,
  ].join('|'),
)

/** `.venv/bin/activate` and the like are as programs of that name are. `$DIR/x.sh` is some file, too. */
function readSource(shell: string, file: ReadWord | undefined): ShellArguments {
  if (file && SETS_UP.test(file.text)) return NOTHING
  const isFile =
    file && (file.literal ? !/^\/(dev|proc)\//.test(file.text) : /\/[\w.-]+$/.test(file.pieces.at(-1) ?? ''))
  return isFile
    ? { ...NOTHING, file: file.text }
    : { ...NOTHING, problem: `${shell} runs a file that policy does not read` }
}

/** With `-n` alone shells read a script and do not run it. */
function runsNothing(shell: string, words: readonly ReadWord[], at: number): boolean {
  const [first] = words
  if (words.length === 1) return /^--(version|help)$/.test(first?.text ?? '')
  return at === 1 && first?.text === '-n' && /^(ba|da|z|k)?sh$/.test(shell)
}

interface Flags {
  readonly inline: boolean
  readonly fromInput: boolean
  /** The file that `--rcfile` names. */
  readonly startup: string | null
  /** The position of the first word that is no flag. */
  readonly at: number
}

function readFlags(words: readonly ReadWord[]): Flags {
  let at = 0
  const flags: string[] = []
  for (let text = words[0]?.text; text !== undefined && /^[-+]/.test(text); text = words[at]?.text) {
    flags.push(text)
    at += 1 + (STARTUP.test(text) ? 1 : clusterOf(text).replace(/[^oO]/g, '').length)
    if (/^--?$/.test(text)) break
  }
  const startup = words.findIndex(({ text }, place) => place < at && STARTUP.test(text))
  return {
    inline: flags.some(flag => clusterOf(flag).includes('c') || flag.startsWith('--command')),
    fromInput: flags.some(flag => clusterOf(flag).includes('s')),
    startup: startup < 0 ? null : (words[startup + 1]?.text ?? ''),
    at,
  }
}

function clusterOf(flag: string): string {
  return flag.startsWith('--') ? '' : flag.slice(1)
}
