/** A command in a pseudo terminal, which `script` of util-linux gives, and the moments at which it wrote. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { shellWord } from '../../src/hosts/process/shell-word.ts'

export const HAS_TERMINAL: boolean = process.platform === 'linux' && existsSync('/usr/bin/script')

const PATIENCE_MS = 30_000

export class PseudoTerminal implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #over: Promise<unknown>
  readonly #start = performance.now()
  #unread = ''
  #onChunk: (at: number) => void = () => {}

  /** The shell becomes the last one of the commands. */
  constructor(cwd: string, ...commands: readonly (readonly string[])[]) {
    const lines = ['stty cols 80 rows 24', ...commands.map(words => words.map(shellWord).join(' '))]
    const line = lines.with(-1, `exec ${lines.at(-1)}`).join('; ')
    this.#child = spawn('/usr/bin/script', ['-qefc', line, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh', NO_COLOR: undefined },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#over = new Promise(resolve => this.#child.on('close', resolve))
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#unread += chunk
      this.#onChunk(performance.now())
    })
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** The moment, as of `performance.now()`, at which it wrote this behind what was awaited before. */
  until(text: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const patience = setTimeout(
      () => reject(new Error(`never written: ${text}\n${this.#unread.slice(-2_000)}`)),
      PATIENCE_MS,
    )
    this.#onChunk = at => {
      const found = this.#unread.indexOf(text)
      if (found < 0) return
      this.#unread = this.#unread.slice(found + text.length)
      this.#onChunk = () => {}
      clearTimeout(patience)
      resolve(at)
    }
    this.#onChunk(performance.now())
    return promise
  }

  /** Milliseconds from its spawn until it wrote this. */
  async since(text: string): Promise<number> {
    return (await this.until(text)) - this.#start
  }

  /** The process of the last command. */
  get pid(): number {
    const { pid } = this.#child
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    this.#child.stdin?.destroy()
    await this.#over
  }
}
