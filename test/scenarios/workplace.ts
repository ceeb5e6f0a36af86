import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type AdvanceOptions,
  type AgentOptions,
  defineAgent,
  defineTool,
  type Ephemeral,
  type Hold,
  type Holdpoint,
  type JournalEvent,
  type Json,
  type Message,
  type OpenOptions,
  openHoldpoint,
  type RunView,
  type Tool,
  type ToolContext,
} from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { type DatabaseSync, openDatabase } from '../open-database.ts'
import { until } from './processes.ts'

type Opening = Partial<AgentOptions> & { readonly script?: Script; readonly open?: OpenOptions }
type ToolDetails = Partial<Parameters<typeof defineTool>[0]>

/** A real SQLite file, and an agent named `worker` that works on it. Each `open` stands for a process. */
export class Workplace implements AsyncDisposable {
  readonly directory: string
  /** What tools did, in the order in which they began. */
  readonly effects: string[] = []
  readonly #usual: Opening

  constructor(directory: string, usual: Opening) {
    this.directory = directory
    this.#usual = usual
  }

  get file(): string {
    return join(this.directory, 'holdpoint.db')
  }

  /** A face of its own on the file; `changes` are those of a deploy. */
  async open(changes: Opening = {}): Promise<Holdpoint> {
    const { script = [], open, ...agent } = { ...this.#usual, ...changes }
    const worker = defineAgent({ name: 'worker', model: scriptedModel(script), ...agent })
    return openHoldpoint({ store: `sqlite:${this.file}`, agents: [worker], directory: this.directory, ...open })
  }

  /** One that leaves its name in `effects` and needs nobody's approval. */
  tool(name: string, more: ToolDetails = {}): Tool {
    return defineTool({
      name,
      inputSchema: { type: 'object' },
      needsApproval: false,
      execute: async () => {
        this.effects.push(name)
        return `${name} done`
      },
      ...more,
    })
  }

  /** One that must be approved. */
  held(name: string, more: ToolDetails = {}): Tool {
    return this.tool(name, { needsApproval: true, ...more })
  }

  /** Changes or reads the file behind everybody's back. */
  inFile<T>(work: (database: DatabaseSync) => T): T {
    using database = openDatabase(this.file)
    return work(database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

export async function aWorkplace(usual: Opening | ((place: Workplace) => Opening) = {}): Promise<Workplace> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-workplace-'))
  if (typeof usual !== 'function') return new Workplace(directory, usual)
  const options: { -readonly [K in keyof Opening]: Opening[K] } = {}
  const place = new Workplace(directory, options)
  Object.assign(options, usual(place))
  return place
}

interface NamedCall {
  readonly id: string
  readonly name: string
  readonly args: Record<string, Json>
}

/** A call, as a script writes it. */
export function call(id: string, name: string = id, args: Record<string, Json> = {}): NamedCall {
  return { id, name, args }
}

export const ana = { decided_by: 'ana', surface: 'test' } as const

/** A run of `worker`, not yet advanced. */
export async function started(holdpoint: Holdpoint, input = 'go'): Promise<{ id: string; thread_id: string }> {
  return holdpoint.start({ agent: 'worker', input })
}

/** Advances a run that nobody else advances. */
export async function advanced(holdpoint: Holdpoint, runId: string, options?: AdvanceOptions): Promise<RunView> {
  const result = await holdpoint.advance(runId, options)
  if ('profile' in result) return result
  throw new Error(`the run was not advanced: ${JSON.stringify(result)}`)
}

/** The open hold of a call. @throws where it is not open. */
export async function openHold(holdpoint: Holdpoint, callId: string): Promise<Hold> {
  const holds = await holdpoint.holds({ status: 'open' })
  const found = holds.find(({ call_id }) => call_id === callId)
  if (found) return found
  throw new Error(`${callId} is not held; open: ${JSON.stringify(holds.map(({ call_id, kind }) => [call_id, kind]))}`)
}

export async function onlyHold(holdpoint: Holdpoint): Promise<Hold> {
  const [hold, ...others] = await holdpoint.holds({ status: 'open' })
  expect(others).toEqual([])
  if (!hold) throw new Error('nothing is held')
  return hold
}

/** The results of calls, as the model is told them, in order. */
export function results(view: { readonly messages: readonly Message[] }): readonly [id: string, content: Json][] {
  return view.messages.flatMap(message =>
    message.role === 'tool' ? [[message.tool_call_id, message.content] as const] : [],
  ) as [string, Json][]
}

export interface Gate {
  readonly tool: Tool
  /** Resolves once the tool runs. */
  readonly begun: Promise<ToolContext>
  /** Lets it end. */
  finish(): void
  /** Whether it was told to stop. */
  readonly aborted: boolean
}

/** A tool that runs until it is let go, or told to stop; a deaf one does not listen to that. */
export function gated(
  place: Workplace,
  name: string,
  { deaf = false, ...more }: ToolDetails & { deaf?: boolean } = {},
): Gate {
  const [begun, finished] = [Promise.withResolvers<ToolContext>(), Promise.withResolvers<void>()]
  let aborted = false
  const tool = place.tool(name, {
    execute: async (_args: unknown, context: ToolContext) => {
      place.effects.push(name)
      const { abortSignal } = context
      abortSignal.addEventListener('abort', () => {
        aborted = true
        if (!deaf) finished.reject(abortSignal.reason)
      })
      begun.resolve(context)
      await finished.promise
      return `${name} done`
    },
    ...more,
  })
  return {
    tool,
    begun: begun.promise,
    finish: () => finished.resolve(),
    get aborted() {
      return aborted
    },
  }
}

export type Told = JournalEvent | Ephemeral

export interface Following extends AsyncDisposable {
  readonly told: readonly Told[]
  /** The durable ones. */
  readonly journal: readonly JournalEvent[]
  /** The first that fits; waits for it. */
  first(fits: (event: Told) => boolean): Promise<Told>
}

/** Follows a thread until it is disposed of. */
export function following(holdpoint: Holdpoint, threadId: string, since = 0): Following {
  const stop = new AbortController()
  const told: Told[] = []
  const reading = (async () => {
    for await (const event of holdpoint.follow(threadId, { since, signal: stop.signal })) told.push(event)
  })()
  return {
    told,
    get journal() {
      return told.filter(isDurable)
    },
    async first(fits) {
      await until(() => told.some(fits))
      return told.find(fits) as Told
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await reading
    },
  }
}

export function isDurable(event: Told): event is JournalEvent {
  return 'seq' in event
}

/** Fits the event that brings a call into a status. */
export function becomes(callId: string, status: string): (event: Told) => boolean {
  return ({ data }) => 'call_id' in data && data.call_id === callId && 'status' in data && data.status === status
}

/** What the journal of a thread says, as `kind call status`. */
export function shapeOf(events: readonly JournalEvent[]): string[] {
  return events.map(({ kind, data }) =>
    [kind, 'call_id' in data && data.call_id, 'status' in data && data.status].filter(Boolean).join(' '),
  )
}

export async function journalOfThread(holdpoint: Holdpoint, threadId: string): Promise<readonly JournalEvent[]> {
  const { seq } = await holdpoint.thread(threadId)
  const events: JournalEvent[] = []
  for await (const event of holdpoint.follow(threadId)) {
    if (isDurable(event)) events.push(event)
    if (events.length === seq) break
  }
  return events
}
