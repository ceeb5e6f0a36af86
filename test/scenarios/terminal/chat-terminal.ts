/**
 * A chat in a pseudo terminal that stays open: a test types, waits for what the screen shows, and changes its size.
 *
 *     await using chat = await aChat(project)
 *     chat.type('hello\r')
 *     await chat.shows('ready')
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import xterm from '@xterm/headless'
import { shellWord } from '../../../src/hosts/process/shell-word.ts'
import { patienceMs } from '../../patience.ts'
import { CLI, type Project } from '../project.ts'

export interface ChatOptions {
  readonly args?: readonly string[]
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** The command of Holdpoint. Default: `chat`. */
  readonly command?: readonly string[]
  /** Shown once it is ready. Default: the prompt of the draft. */
  readonly first?: string
  /** In a shell, which takes the terminal back when the chat is stopped. Default: as the only program. */
  readonly inShell?: true
}

const SCROLLBACK = 20_000
const LOOK_MS = 15

let count = 0

/** Once its first frame is drawn. */
export async function aChat(project: Project, options: ChatOptions = {}): Promise<ChatTerminal> {
  const chat = new ChatTerminal(project, options)
  await chat.shows(options.first ?? '›')
  return chat
}

/** A chat at the agent `docs` in the background, once it is drawn. */
export function attached(project: Project, actor: string, ...flags: string[]): Promise<ChatTerminal> {
  return aChat(project, {
    command: ['agents', 'attach', 'docs', ...flags],
    env: { HOLDPOINT_ACTOR: actor },
    columns: 100,
    first: '/help lists the commands',
  })
}

export class ChatTerminal implements AsyncDisposable {
  readonly #terminal: xterm.Terminal
  readonly #child: ChildProcess
  readonly #tty: string
  readonly #over: Promise<number | null>
  written = ''
  exit: number | null = null

  constructor(
    project: Project,
    { args = [], columns = 80, rows = 24, env = {}, command: words = ['chat'], inShell }: ChatOptions,
  ) {
    count += 1
    this.#tty = join(project.directory, `.tty-${count}`)
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true })
    const program = [process.execPath, CLI, ...words, ...args].map(shellWord).join(' ')
    const command = `tty > ${shellWord(this.#tty)}; stty iutf8 cols ${columns} rows ${rows}; exec ${inShell ? '/bin/sh -i' : program}`
    this.#child = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
      cwd: project.directory,
      env: { ...project.environment, TERM: 'xterm-256color', SHELL: '/bin/sh', PS1: '$ ', ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    if (inShell) this.type(`${program}\n`)
    this.#child.stdout?.setEncoding('utf8').on('data', chunk => {
      this.written += chunk
      this.#terminal.write(chunk)
    })
    this.#over = new Promise(resolve => this.#child.on('close', resolve))
  }

  /** In one write: a terminal may hand it over in one read. */
  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** Each as a finger would: the bar takes no key that comes together with another, or just after a change. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.type(key)
      await sleep(350)
    }
  }

  /** Waits until the screen shows a text, or no longer shows it. */
  async shows(text: string | RegExp, isThere = true): Promise<string> {
    for (const deadline = performance.now() + patienceMs(); performance.now() < deadline; ) {
      const screen = this.screen()
      if ((typeof text === 'string' ? screen.includes(text) : text.test(screen)) === isThere) return screen
      await sleep(LOOK_MS)
    }
    throw new Error(`${isThere ? 'never shown' : 'always shown'}: ${text}\n${this.screen()}`)
  }

  /** The terminal, and the emulator with it, gets another size. */
  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
    const tty = readFileSync(this.#tty, 'utf8').trim()
    execFileSync('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)])
  }

  /** As if the terminal hung: what is written to it waits, and then its writer does. */
  stopReading(): void {
    this.#child.stdout?.pause()
  }

  readOn(): void {
    this.#child.stdout?.resume()
  }

  /** What `stty` says of the terminal. */
  modes(): string {
    return execFileSync('stty', ['-a', '-F', readFileSync(this.#tty, 'utf8').trim()], { encoding: 'utf8' })
  }

  /** The process of the chat. */
  get pid(): number {
    const [child = ''] = readFileSync(`/proc/${this.#child.pid}/task/${this.#child.pid}/children`, 'utf8').split(' ')
    return Number(child)
  }

  /** Scrollback and screen. */
  screen(): string {
    const { active } = this.#terminal.buffer
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString().trimEnd() ?? '',
    )
    return `${rows.join('\n').trimEnd()}\n`
  }

  async over(): Promise<number | null> {
    this.exit = await this.#over
    await new Promise<void>(resolve => this.#terminal.write('', resolve))
    return this.exit
  }

  /** Takes the terminal away from what runs in it. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#over
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.exit === null) this.#child.kill('SIGKILL')
    this.#child.stdin?.destroy()
    await Promise.race([this.#over, sleep(1000)])
    rmSync(this.#tty, { force: true })
  }
}
