/** A project whose agents are talked to in the background, with a provider on loopback. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Profile } from 'holdpoint'
import type { AgentStatus } from '../../src/core/fleet/agent-status.ts'
import type { Interactive } from '../../src/core/settings/interactive-settings.ts'
import type { App } from '../../src/hosts/compose/compose.ts'
import type { AgentSummary } from '../../src/runtime/face/agents.ts'
import { openApp } from '../built-app.ts'
import { processesWith } from '../process-figures.ts'
import { TokenServer } from '../token-server.ts'
import { AgentClient } from './agent-client.ts'

const CLI = resolve(import.meta.dirname, '../../dist/cli/bin.js')

export const STAYS: Interactive = { idle_timeout_ms: 0, on_idle: 'end' }

export class FleetHome implements AsyncDisposable {
  readonly directory: string
  readonly app: App
  readonly #server: TokenServer
  readonly #profile: Profile

  private constructor(
    directory: string,
    { app, server, profile }: { app: App; server: TokenServer; profile: Profile },
  ) {
    this.directory = directory
    this.app = app
    this.#server = server
    this.#profile = profile
  }

  static async open(directory: string): Promise<FleetHome> {
    mkdirSync(join(directory, '.holdpoint'), { recursive: true })
    writeFileSync(join(directory, '.holdpoint', 'policy.json'), '{ "default": "prompt" }')
    const server = await TokenServer.open()
    // Processes of agents inherit it from here.
    Object.assign(process.env, server.env)
    const { run_id } = await firstRun(directory)
    const app = await openApp({ store: `sqlite:${join(directory, '.holdpoint', 'holdpoint.db')}`, directory })
    return new FleetHome(directory, { app, server, profile: (await app.holdpoint.run(run_id)).profile })
  }

  /** Once its first turn is over. */
  async spawn(input: string, interactive: Interactive = STAYS): Promise<AgentSummary> {
    const { agents } = this.app.holdpoint
    const about = { name: null, title: null, timeout_seconds: null, worktree: null }
    const profile: Profile = { ...this.#profile, pause_on: ['approval', 'input', 'question'] }
    const request = { profile, input, interactive, ...about }
    const { id } = await agents.spawn(request, { by: 'bench', surface: 'code', runId: null })
    return this.until(id, interactive.idle_timeout_ms === 0 ? 'idle' : 'parked')
  }

  async until(id: string, status: AgentStatus): Promise<AgentSummary> {
    for (;;) {
      const agent = await this.app.holdpoint.agents.find(id)
      if (agent.status === status) return agent
      if (['failed', 'crashed'].includes(agent.status)) throw new Error(`${id} is ${agent.status}: ${agent.because}`)
      await delay(20)
    }
  }

  async attach({ id }: AgentSummary, role: 'writer' | 'viewer' = 'viewer'): Promise<AgentClient> {
    const door = await this.app.store.presences.door(id)
    if (!door) throw new Error(`${id} has no process`)
    return AgentClient.attach(door, role)
  }

  /** Of the agent, and of the process that watches over it. */
  async processesOf({ id }: AgentSummary): Promise<{ readonly agent: number; readonly supervisor: number }> {
    const presence = await this.app.store.presences.find(id)
    const task = await this.app.store.tasks.task(id)
    return { agent: pidIn(presence?.process), supervisor: pidIn(task?.invocation.supervisor) }
  }

  /** Milliseconds from spawn to the first line of the command. Then it is ended. */
  async toFirstLine(...args: string[]): Promise<number> {
    const start = performance.now()
    const child = spawn(process.execPath, [CLI, ...args], { cwd: this.directory, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(child.stdout, 'data')
    const ms = performance.now() - start
    const ended = once(child, 'exit')
    child.kill()
    await ended
    return ms
  }

  get processes(): number[] {
    return processesWith(this.directory)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.processes) end(pid)
    await this.app[Symbol.asyncDispose]()
    await this.#server[Symbol.asyncDispose]()
  }
}

/** Asynchronous: the provider is this process. */
async function firstRun(directory: string): Promise<{ run_id: string }> {
  const child = spawn(process.execPath, [CLI, '-a', '-o', 'json', 'hi'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse((await child.stdout.toArray()).join(''))
}

/** Milliseconds of a Node that does nothing. */
export function emptyNode(): number {
  const start = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - start
}

function pidIn(name: string | null | undefined): number {
  return Number(name?.split(':')[1])
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was about to end.
  }
}
