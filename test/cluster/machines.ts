/** The machines of a cluster: each reaches the database by a connection of its own, and runs processes of the built command line. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CuttingProxy, openCuttingProxy } from '../postgres/cutting-proxy.ts'
import { CLI, ended, type Finished } from '../scenarios/project.ts'

const effect = (id: string, label: string) => ({ id, name: 'run_command', args: { command: `./effect.sh ${label}` } })

/** What the scripted models do. Labels tell whether a call is gated: `g…` needs an approval, `f…` does not. */
const AGENTS: Readonly<Record<string, readonly unknown[]>> = {
  gated: [{ text: 'I ask.', calls: [effect('c1', 'g1')] }, 'Done.'],
  twice: [{ calls: [effect('c1', 'g1'), effect('c2', 'g2')] }, { calls: [effect('c3', 'g3')] }, 'Done.'],
  asking: [
    { text: 'Which?', calls: [{ id: 'q1', name: 'ask_human', args: { question: 'Which one?' } }] },
    { calls: [effect('c1', 'g1')] },
    'Done.',
  ],
  // Starts another one as a task of its own, and does not wait for it.
  leading: [
    { calls: [{ id: 't1', name: 'subagent_task', args: { prompt: 'go', model: 'script:gated.json' } }] },
    'Done.',
  ],
}
export const AGENT_NAMES: readonly string[] = Object.keys(AGENTS)

const EFFECT = '#!/bin/sh\nprintf \'%s %s\\n\' "$HOLDPOINT_IDEMPOTENCY_KEY" "$1" >> "$CLUSTER_EFFECTS"\n'

/** What all machines have: the same agents, the same policy, and one file that their tools write to. */
export class Site {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'holdpoint-cluster-'))
  readonly effectsFile: string = join(this.directory, 'effects.log')
  readonly database: string

  constructor(database: string) {
    this.database = database
    mkdirSync(join(this.directory, '.holdpoint', 'agents'), { recursive: true })
    const put = (path: string, text: string) => writeFileSync(join(this.directory, path), text)
    put('.holdpoint/policy.json', '{"tools":{"run_command":"prompt","subagent_task":"auto"}}')
    for (const [name, turns] of Object.entries(AGENTS)) {
      put(`${name}.json`, JSON.stringify(turns))
      put(
        `.holdpoint/agents/${name}.md`,
        `---\nname: ${name}\nmodel: script:${name}.json\ntools: [run_command, ask_human, subagent_task]\n---\nWork.\n`,
      )
    }
    put('effect.sh', EFFECT)
    chmodSync(join(this.directory, 'effect.sh'), 0o755)
  }

  get effects(): string {
    return existsSync(this.effectsFile) ? readFileSync(this.effectsFile, 'utf8') : ''
  }
}

/** A process that is started again whenever it ends, until it is told to end for good. */
export interface Service {
  readonly name: string
  readonly machine: Machine
  /** `null` while it is down, and until it says that it is up. */
  readonly pid: number | null
  /** Ends it politely, and for good. */
  stop(): Promise<void>
}

const RESTART_MS = 1_000

export class Machine implements AsyncDisposable {
  readonly name: string
  readonly network: CuttingProxy
  readonly #site: Site

  private constructor(name: string, site: Site, network: CuttingProxy) {
    this.name = name
    this.#site = site
    this.network = network
  }

  static async join(site: Site, name: string): Promise<Machine> {
    mkdirSync(join(site.directory, name))
    return new Machine(name, site, await openCuttingProxy(site.database))
  }

  /** Runs `holdpoint ...words` to its end, as `actor`. */
  holdpoint(words: readonly string[], actor: string): Promise<Finished> {
    return ended(this.#spawn(words, { HOLDPOINT_ACTOR: actor }, ['ignore', 'pipe', 'pipe']))
  }

  /** Its output is kept in `<name>.log` of the site. */
  keepRunning(name: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Service {
    const log = openSync(join(this.#site.directory, `${name}.log`), 'a')
    let silent = 0
    let child: ChildProcess | null = null
    let isOver = false
    let ended = Promise.resolve()
    const start = () => {
      if (isOver) return
      silent = fstatSync(log).size
      const started = this.#spawn(words, env, ['ignore', log, log])
      child = started
      ended = new Promise(resolve =>
        started.once('exit', (code, signal) => {
          child = null
          appendFileSync(log, `--- ended with ${code ?? signal}\n`)
          resolve()
          setTimeout(start, RESTART_MS)
        }),
      )
    }
    start()
    return {
      name,
      machine: this,
      get pid() {
        return fstatSync(log).size > silent ? (child?.pid ?? null) : null
      },
      stop: () => {
        isOver = true
        child?.kill('SIGCONT')
        child?.kill('SIGTERM')
        return ended
      },
    }
  }

  #spawn(
    words: readonly string[],
    env: Readonly<Record<string, string>>,
    stdio: ['ignore', 'pipe' | number, 'pipe' | number],
  ): ChildProcess {
    const home = join(this.#site.directory, this.name)
    return spawn(process.execPath, [CLI, ...words], {
      cwd: this.#site.directory,
      env: {
        ...{ PATH: process.env['PATH'] ?? '', HOME: home, XDG_RUNTIME_DIR: home, HOLDPOINT_HOST: this.name },
        ...{ HOLDPOINT_STORE: this.network.url, CLUSTER_EFFECTS: this.#site.effectsFile },
        ...env,
      },
      stdio,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.network[Symbol.asyncDispose]()
  }
}
