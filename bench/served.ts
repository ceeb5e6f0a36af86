import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type Holdpoint, openHoldpoint } from 'holdpoint'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')

/** A server in a process of its own, with its figures on a second port. */
export class Served implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly url: string
  readonly #figures: string

  private constructor(child: ChildProcess, url: string, figures: string) {
    this.#child = child
    this.url = url
    this.#figures = figures
  }

  /** `node` are flags of Node itself. */
  static async start(directory: string, { node = [], args = [] }: Started = {}): Promise<Served> {
    const flags = ['serve', '--port', '0', '--metrics-port', '0', ...args]
    const child = spawn(process.execPath, [...node, CLI, ...flags], {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: directory, HOLDPOINT_MODEL: 'script:script.json' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said = await until(child, /listening on (\S+)/)
    return new Served(child, said.at(-1) ?? '', /figures are at (\S+),/.exec(said.join('\n'))?.[1] ?? '')
  }

  async request(path: string, { token, body, signal }: Asked): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  async figure(name: string): Promise<number> {
    const text = await (await fetch(this.#figures)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

interface Started {
  readonly node?: readonly string[]
  readonly args?: readonly string[]
}

export interface Asked {
  readonly token: string
  readonly body?: object
  readonly signal?: AbortSignal
}

/** Milliseconds from spawn until a server listens, and those of a Node that does nothing. */
export async function timesToListen(directory: string, rounds: number): Promise<{ serve: number[]; node: number[] }> {
  const times: { serve: number[]; node: number[] } = { serve: [], node: [] }
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    times.node.push(performance.now() - before)
    const start = performance.now()
    const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--no-work'], {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: directory },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await until(child, /listening on (\S+)/)
    times.serve.push(performance.now() - start)
    const ended = once(child, 'exit')
    // So it keeps its compiled code, which the next one loads.
    child.kill('SIGTERM')
    await ended
  }
  return times
}

/** Tokens of so many callers: one alone may have 20 streams. */
export async function tokensOf(holdpoint: Holdpoint, count: number): Promise<readonly string[]> {
  const secrets: string[] = []
  for (let n = 0; n < count; n += 1) {
    const token = { name: `caller-${n}`, role: 'operator' } as const
    secrets.push((await holdpoint.tokens.add(token, { by: 'bench', surface: 'bench' })).secret)
  }
  return secrets
}

export async function openStore(directory: string): Promise<Holdpoint> {
  return openHoldpoint({ store: `sqlite:${directory}/.holdpoint/holdpoint.db`, directory })
}

/** The lines until one fits, with its group at the end. */
async function until(child: ChildProcess, wanted: RegExp): Promise<string[]> {
  const lines: string[] = []
  if (child.stderr === null) return lines
  for await (const line of createInterface(child.stderr)) {
    const found = wanted.exec(line)?.[1]
    lines.push(found ?? line)
    if (found !== undefined) return lines
  }
  throw new Error(`the server ended: ${lines.join('\n')}`)
}

/** Until what is said settles: garbage is collected late. */
export async function settle(): Promise<void> {
  await delay(2_000)
}
