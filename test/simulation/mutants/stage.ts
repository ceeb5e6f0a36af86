import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Mutant, mutated } from './mutant.ts'
import type { Hunt, Suite } from './suites.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** The Node of the project, whichever one the machine has. */
const NODE = join(ROOT, 'node_modules/node/bin')
/** A bug may keep a suite from its end. */
const LONGEST_MS = 600_000

/** A copy of the project, in which one bug at a time is seeded. */
export class Stage implements AsyncDisposable {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async make(): Promise<Stage> {
    const directory = mkdtempSync(join(tmpdir(), 'holdpoint-mutants-'))
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    for (const file of files.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(directory, file))
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    return new Stage(directory)
  }

  /** Until it is disposed of. */
  put(mutant: Mutant): Disposable {
    const place = join(this.#directory, mutant.file)
    const clean = readFileSync(place)
    writeFileSync(place, mutated(this.#directory, mutant))
    return { [Symbol.dispose]: () => writeFileSync(place, clean) }
  }

  async run(suite: Suite, hunt: Hunt): Promise<{ readonly passed: boolean; readonly output: string }> {
    const child = spawn(join(NODE, 'node'), suite.command(hunt), {
      cwd: this.#directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, PATH: `${NODE}:${process.env['PATH']}`, NO_COLOR: '1', CI: 'true' },
    })
    const late = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LONGEST_MS)
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const [exit] = await once(child, 'exit')
    clearTimeout(late)
    return { passed: exit === 0, output: (await output).join('') }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
