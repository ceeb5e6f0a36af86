import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { checkManifests, checkPrinted } from './printed.ts'
import { mayRunWarm, runWarm } from './warm/warm-pool.ts'

/** The built command line, as its users start it. */
export const CLI: string = resolve(import.meta.dirname, '../../dist/cli/bin.js')

const PAUSED = 10

/** Puts a `holdpoint` into a directory of a path, which runs the built command line. */
export function installCommand(directory: string): void {
  writeFileSync(join(directory, 'holdpoint'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
}

export class Finished {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string

  constructor(exit: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string) {
    this.exit = exit
    this.signal = signal
    this.stdout = stdout
    this.stderr = stderr
  }

  /** stdout as the one JSON document that it must be; a getter of the class, so that no comparison reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  get json(): any {
    return JSON.parse(this.stdout)
  }
}

export interface ProjectOptions {
  /** The turns of a scripted model; written to `script.json` and used by default. */
  readonly script?: readonly unknown[]
  /** A policy document, written to `.holdpoint/policy.json`. */
  readonly policy?: unknown
  readonly config?: unknown
  /** Further files by relative path. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

export interface StartOptions {
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Flags for Node itself, before the command line. */
  readonly node?: readonly string[]
  /** Gives `run` a process of its own. */
  readonly own?: true
}

let isAboutProcesses = false

/** Each command of the calling test file has a process of its own: `afterAll(runInOwnProcesses())`. */
export function runInOwnProcesses(): () => void {
  isAboutProcesses = true
  return () => {
    isAboutProcesses = false
  }
}

/** A fresh directory in which the command line is run. Dispose it to remove it. */
export class Project implements AsyncDisposable {
  readonly directory: string
  readonly #env: Readonly<Record<string, string>>

  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.directory = directory
    this.#env = env
  }

  /** Runs `holdpoint ...args` to its end, if possible in a process that ran other commands before. */
  async holdpoint(...args: string[]): Promise<Finished> {
    return this.run(args)
  }

  async run(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    const finished = (await this.#runWarm(args, options)) ?? (await ended(this.start(args, options)))
    if (finished.exit === PAUSED) checkManifests(options.cwd ?? this.directory)
    return finished
  }

  /** `null` if the command needs a process of its own. */
  async #runWarm(args: readonly string[], { cwd, env, ...others }: StartOptions): Promise<Finished | null> {
    if (isAboutProcesses || Object.keys(others).length > 0) return null
    const invocation = { args, cwd: cwd ?? this.directory, env: { ...this.environment, ...env } }
    if (!mayRunWarm(invocation)) return null
    const { exit, signal, stdout, stderr } = await runWarm(CLI, invocation)
    if (exit !== null) checkPrinted(args, stdout)
    return new Finished(exit, signal, stdout, stderr)
  }

  /** Starts `holdpoint ...args` as a process of its own, and leaves it running. */
  start(args: readonly string[], options: StartOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [...(options.node ?? []), CLI, ...args], {
      cwd: options.cwd ?? this.directory,
      env: { ...this.environment, ...options.env },
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (options.stdin !== undefined) child.stdin?.end(options.stdin)
    return child
  }

  /** What its processes are started with. */
  get environment(): Readonly<Record<string, string>> {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    return { PATH, NODE_COMPILE_CACHE, HOME: this.directory, HOLDPOINT_ACTOR: 'ana', ...this.#env }
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  exists(...parts: string[]): boolean {
    return existsSync(this.path(...parts))
  }

  async read(...parts: string[]): Promise<string> {
    return readFile(this.path(...parts), 'utf8')
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true })
    await writeFile(this.path(path), text)
  }

  /** The lines of `effects.log`, which the scripts of these tests append to; empty where there is none. */
  async effects(): Promise<string[]> {
    if (!this.exists('effects.log')) return []
    return (await this.read('effects.log')).split('\n').filter(line => line !== '')
  }

  /** `holdpoint threads show`, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  async messages(session: string): Promise<any[]> {
    return (await this.holdpoint('threads', 'show', session, '--json')).json.messages
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

export async function aProject(options: ProjectOptions = {}): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-story-'))
  const model: Record<string, string> = options.script ? { HOLDPOINT_MODEL: 'script:script.json' } : {}
  const project = new Project(directory, { ...model, ...options.env })
  const files: Record<string, string> = {
    ...(options.script && { 'script.json': JSON.stringify(options.script) }),
    ...(options.policy !== undefined && { '.holdpoint/policy.json': JSON.stringify(options.policy) }),
    ...(options.config !== undefined && { '.holdpoint/config.json': JSON.stringify(options.config) }),
    ...options.files,
  }
  for (const [path, text] of Object.entries(files)) await project.write(path, text)
  return project
}

/** A call of `run_command`, as a script writes it. */
export function command(id: string, text: string): { id: string; name: string; args: { command: string } } {
  return { id, name: 'run_command', args: { command: text } }
}

/** A call of `run_command` that leaves `word` as a line in `effects.log`. */
export function effect(id: string, word: string): ReturnType<typeof command> {
  return command(id, `echo ${word} >> effects.log`)
}

export async function ended(child: ChildProcess): Promise<Finished> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', chunk => out.push(chunk))
  child.stderr?.on('data', chunk => err.push(chunk))
  const { promise, resolve: end, reject } = Promise.withResolvers<[number | null, NodeJS.Signals | null]>()
  child.on('error', reject).on('close', (exit, signal) => end([exit, signal]))
  const [exit, signal] = await promise
  const stdout = Buffer.concat(out).toString('utf8')
  if (exit !== null && child.spawnargs.includes(CLI))
    checkPrinted(child.spawnargs.slice(child.spawnargs.indexOf(CLI) + 1), stdout)
  return new Finished(exit, signal, stdout, Buffer.concat(err).toString('utf8'))
}

/** As `--json` lists them; none before the first write, when there is no store. */
export async function listed(project: Project, list: 'runs' | 'tasks'): Promise<Finished['json'][]> {
  const { json } = await project.holdpoint(list, '--json')
  return json.error?.code === 'no_store' ? [] : json
}
