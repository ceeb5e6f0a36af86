/**
 * A command line in a pseudo terminal, and the screen that its user sees. `script` of util-linux gives the terminal, and
 * a real emulator draws, so a test compares lines of text:
 *
 *     const { exit, screen } = await inTerminal(project, ['runs'], { columns: 120, keys: [['Go on?', 'y\r']] })
 *     expect(masked(screen)).toBe('…')
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import xterm from '@xterm/headless'
import { shellWord } from '../../../src/hosts/process/shell-word.ts'
import { CLI, type Project } from '../project.ts'

/** False on a machine without `script`: then such stories are skipped. */
export const HAS_TERMINAL: boolean = process.platform === 'linux' && existsSync('/usr/bin/script')

/**
 * Keys, typed once the text was written behind the text before. Keys may be empty, to look at the screen only. A signal goes
 * to the command line itself.
 */
export type Typed = readonly [when: string, keys: string | { readonly signal: NodeJS.Signals }]

export interface TerminalOptions {
  readonly keys?: readonly Typed[]
  /** Default: 80. */
  readonly columns?: number
  /** Default: 24. */
  readonly rows?: number
  /** Beside that of the project. `TERM` is `xterm-256color` unless it is set here. */
  readonly env?: Readonly<Record<string, string>>
  /** What a shell makes of its outputs, such as `> out.txt`, `| cat` or `2> err.txt`. */
  readonly redirect?: string
}

export interface Shown {
  readonly exit: number | null
  /** The scrollback and the screen at the end, as rows without spaces at their ends. */
  readonly screen: string
  /** The same as it stood when each of the keys was typed. */
  readonly screens: readonly string[]
  /** All that was written, echoed keys and escape sequences included. Lines end with `\n`. */
  readonly written: string
}

const SCROLLBACK = 5000

/** Runs `holdpoint ...args` in a terminal to its end. */
export async function inTerminal(
  project: Project,
  args: readonly string[],
  { keys = [], columns = 80, rows = 24, env = {}, redirect = '' }: TerminalOptions = {},
): Promise<Shown> {
  const program = [process.execPath, CLI, ...args].map(shellWord).join(' ')
  // The shell gives its place to the program, if nothing follows it: Ctrl-C would end the shell too.
  const command = `stty cols ${columns} rows ${rows}; ${redirect.includes(';') ? '' : 'exec '}${program} ${redirect}`
  const child = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    cwd: project.directory,
    env: { ...project.environment, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const emulator = new Emulator(columns, rows)
  const left = [...keys]
  const screens: string[] = []
  child.stdout.setEncoding('utf8').on('data', chunk => emulator.write(chunk, typeKeys))
  const typeKeys = () => {
    for (let [next] = left; next && emulator.hasRead(next[0]); [next] = left) {
      screens.push(emulator.screen())
      if (typeof next[1] === 'string') child.stdin.write(next[1])
      else process.kill(innermost(child.pid ?? 0), next[1].signal)
      left.shift()
    }
  }
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  const exit = await promise
  await emulator.settled()
  if (left[0]) throw new Error(`${JSON.stringify(left[0][0])} was never written:\n${emulator.screen()}`)
  return { exit, screens, screen: emulator.screen(), written: emulator.written.replaceAll('\r\n', '\n') }
}

/** The command line stands at the end of a row of programs that each started one. */
function innermost(pid: number): number {
  const [started] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return started ? innermost(Number(started)) : pid
}

class Emulator {
  readonly #terminal: xterm.Terminal
  written = ''
  #drawn = 0
  #read = 0

  constructor(cols: number, rows: number) {
    this.#terminal = new xterm.Terminal({ cols, rows, scrollback: SCROLLBACK, allowProposedApi: true })
  }

  write(chunk: string, drawn: () => void): void {
    this.written += chunk
    const end = this.written.length
    this.#terminal.write(chunk, () => {
      this.#drawn = end
      drawn()
    })
  }

  /** True if `text` is drawn behind what was found before. */
  hasRead(text: string): boolean {
    const at = this.written.indexOf(text, this.#read)
    const isThere = at >= 0 && at + text.length <= this.#drawn
    if (isThere) this.#read = at + text.length
    return isThere
  }

  async settled(): Promise<void> {
    await new Promise<void>(resolve => this.#terminal.write('', resolve))
  }

  screen(): string {
    const { active } = this.#terminal.buffer
    const lines = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString().trimEnd() ?? '',
    )
    return `${lines.join('\n').trimEnd()}\n`
  }
}

/** Each keeps its group. */
const CHANGING = [
  /\b((?:cp|th|run|hold|task|grant|tc|evt)_)[0-9a-z]{10,}/g,
  /()\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /\b(sha256:)[0-9a-f]+/g,
  /\b(holdpoint-story-)\w+/g,
]

/** A run of less than a second says nothing of its time. */
const TOOK = /(?<= tokens) · [\d.]+ s$/gm

/** Ids, times, digests and the name of the directory differ from run to run: as `x`, of the same length. */
export function masked(screen: string): string {
  const mask = (found: string, kept: string) => kept + found.slice(kept.length).replaceAll(/\w/g, 'x')
  return CHANGING.reduce((text, pattern) => text.replaceAll(pattern, mask), screen.replaceAll(TOOK, ''))
}
