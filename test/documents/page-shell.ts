import { type ChildProcess, spawn } from 'node:child_process'
import { patienceMs } from '../patience.ts'

export interface Ran {
  readonly exit: number
  /** stdout and stderr, as a reader sees them. */
  readonly output: string
}

const END = '__end_of_command__'

/** One shell for a page: as for its reader, the directory and variables of one command are those of the next. */
export class PageShell implements Disposable {
  readonly #shell: ChildProcess
  #output = ''
  #exit = 0
  #arrived: () => void = () => {}

  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd: directory, env, detached: true })
    const take = (chunk: Buffer) => {
      this.#output += chunk.toString('utf8')
      this.#arrived()
    }
    this.#shell.stdout?.on('data', take)
    this.#shell.stderr?.on('data', take)
    this.#shell.on('exit', () => this.#arrived())
  }

  /** @throws Error if it takes three times the patience of a test, or ends the shell */
  async run(command: string): Promise<Ran> {
    this.#output = ''
    // The command finds in `$?` how the one before it ended, and cannot read the ones after it.
    const input = `(exit ${this.#exit})\n{ ${command}\n} </dev/null 2>&1\nprintf '\\n${END}%s\\n' "$?"\n`
    this.#shell.stdin?.write(input)
    const deadline = Date.now() + 3 * patienceMs()
    for (;;) {
      const ended = new RegExp(`\\n${END}(\\d+)\\n`).exec(this.#output)
      if (ended) {
        this.#exit = Number(ended[1])
        return { exit: this.#exit, output: this.#output.slice(0, ended.index) }
      }
      if (Date.now() > deadline || this.#shell.exitCode !== null)
        throw new Error(`\`${command}\` did not end:\n${this.#output}`)
      await this.#nextOutput()
    }
  }

  async #nextOutput(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#arrived = resolve
    const timer = setTimeout(resolve, 1000)
    await promise
    clearTimeout(timer)
  }

  [Symbol.dispose](): void {
    const { pid } = this.#shell
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
