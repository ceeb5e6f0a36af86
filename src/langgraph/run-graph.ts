/**
 * The tool that runs a graph. Keeps: an input is given once; a decision is given only to the interrupt that it answers,
 * while that one waits; a call that runs again after a crash continues where the graph stopped.
 */

import type { RunnableConfig } from '@langchain/core/runnables'
import { Command } from '@langchain/langgraph'
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
} from '@langchain/langgraph-checkpoint'
import { ToolError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/text/json.ts'
import type { Tool, ToolContext } from '../ports/agent/tool.ts'
import { RUN_GRAPH } from './graph-model.ts'
import { HoldpointSaver } from './holdpoint-saver.ts'
import type { GraphResult, PendingInterrupt } from './interrupted.ts'

/** The part of a compiled graph that Holdpoint uses. */
export interface RunnableGraph {
  // biome-ignore lint/suspicious/noExplicitAny: each graph has its own types of input and state
  invoke(input: any, options?: any): Promise<any>
  getState(config: RunnableConfig): Promise<{
    readonly values: unknown
    readonly tasks: readonly { readonly id: string; readonly name: string }[]
  }>
}

/** Compiles the graph with the checkpointer. */
export type CompileGraph = (checkpointer: BaseCheckpointSaver) => RunnableGraph

export interface RunGraphOptions {
  readonly compile: CompileGraph
  readonly toAnswer: (values: unknown) => string
  readonly version: string | undefined
  readonly idempotent: boolean
}

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    input: { description: 'The input of the graph.' },
    resume: { type: 'object', description: 'The answers to interrupts of the graph, by their ids.' },
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
}

export function runGraphTool(options: RunGraphOptions): Tool {
  const { version, idempotent, compile } = options
  return {
    name: RUN_GRAPH,
    description: 'Runs the graph until it is done or waits for people.',
    inputSchema: INPUT_SCHEMA,
    ...(version !== undefined && { version }),
    code: () => String(compile),
    idempotent,
    destructive: false,
    needsApproval: () => false,
    validate: async args =>
      Object.keys(args).length === 1 && ('input' in args || isJsonObject(args['resume']))
        ? { ok: true, value: args }
        : { ok: false, issues: 'give either `input`, or `resume` with the answers by id' },
    execute: (args, context) => new GraphCall(options, context).run(args),
  }
}

class OwnSaver extends HoldpointSaver {
  readonly #call: string

  constructor({ graphs, idempotencyKey }: ToolContext) {
    super(graphs)
    this.#call = idempotencyKey
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return super.put(config, checkpoint, { ...metadata, [MADE_BY]: this.#call } as CheckpointMetadata, newVersions)
  }
}

class GraphCall {
  readonly #options: RunGraphOptions
  readonly #context: ToolContext
  readonly #saver: HoldpointSaver
  readonly #graph: RunnableGraph
  readonly #config: RunnableConfig

  constructor(options: RunGraphOptions, context: ToolContext) {
    this.#options = options
    this.#context = context
    this.#saver = new OwnSaver(context)
    this.#graph = options.compile(this.#saver)
    this.#config = { configurable: { thread_id: context.threadId } }
  }

  async run({ input, resume }: JsonObject): Promise<Json> {
    const position = await this.#position()
    if (isJsonObject(resume)) await this.#resume(position, resume)
    else if (position?.isOwn) await this.#goOn(position)
    else await this.#invoke(input)
    return (await this.#result()) as unknown as Json
  }

  async #resume(position: GraphPosition | null, answers: JsonObject): Promise<void> {
    const pending = new Set(position?.pending.map(({ id }) => id))
    const waiting = Object.entries(answers).filter(([id]) => pending.has(id))
    if (!position || (waiting.length < Object.keys(answers).length && !position.isOwn)) throw movedOn()
    if (waiting.length === 0) return this.#goOn(position)
    await this.#noteResume()
    await this.#invoke(new Command({ resume: Object.fromEntries(waiting) }))
  }

  /** After a crash some of the answers may have been taken: this marks them as taken by this call. */
  async #noteResume(): Promise<void> {
    const tuple = await this.#saver.getTuple(this.#config)
    if (tuple) await this.#saver.putWrites(tuple.config, [[MADE_BY, true]], this.#context.idempotencyKey)
  }

  /** After a crash: what is not finished and does not wait runs again. */
  async #goOn({ finished, waiting }: GraphPosition): Promise<void> {
    const { tasks } = await this.#graph.getState(this.#config)
    const isAtRest = waiting.size > 0 && tasks.every(({ id }) => finished.has(id) || waiting.has(id))
    if (tasks.length > 0 && !isAtRest) await this.#invoke(null)
  }

  /** A step begins once the checkpoint before it is durable. */
  async #invoke(input: unknown): Promise<void> {
    await this.#graph.invoke(input, { ...this.#config, durability: 'sync', signal: this.#context.abortSignal })
  }

  async #result(): Promise<GraphResult> {
    const { pending = [] } = (await this.#position()) ?? {}
    if (pending.length > 0) return { status: 'waiting', interrupts: pending }
    const { values, tasks } = await this.#graph.getState(this.#config)
    if (tasks.length > 0) throw stoppedBefore(tasks.map(({ name }) => name))
    return { status: 'done', answer: this.#options.toAnswer(values), output: asJson(values) }
  }

  async #position(): Promise<GraphPosition | null> {
    return positionOf(await this.#saver.getTuple(this.#config), this.#context.idempotencyKey)
  }
}

function movedOn(): ToolError {
  return new ToolError(
    'GRAPH_MOVED_ON',
    'The graph does not wait for these answers: it went on without them, or its state is not in this store. ' +
      'Nothing was resumed.',
  )
}

function stoppedBefore(nodes: readonly string[]): ToolError {
  return new ToolError(
    'GRAPH_STOPPED',
    `The graph stopped before ${nodes.join(', ')} and asks nothing. Use interrupt() where people shall decide, not ` +
      'interruptBefore or interruptAfter.',
  )
}

/** The position of a graph in its thread, by its newest checkpoint. */
interface GraphPosition {
  /** The interrupts without an answer so far. */
  readonly pending: readonly PendingInterrupt[]
  /** The tasks of the step that came to their end. */
  readonly finished: ReadonlySet<string>
  /** The tasks that wait. */
  readonly waiting: ReadonlySet<string>
  /** This call made the checkpoint, or resumed the graph from it. */
  readonly isOwn: boolean
}

/** In the metadata of a checkpoint: the call of Holdpoint that made it. */
const MADE_BY = 'holdpoint_call'

/** A task that wrote more than these is over. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['__error__', '__error_source_node__', '__interrupt__', '__resume__'])

/** `null` if the graph did not begin. */
function positionOf(tuple: CheckpointTuple | undefined, call: string): GraphPosition | null {
  if (!tuple) return null
  const writes = tuple.pendingWrites ?? []
  const finished = new Set(writes.filter(([, channel]) => !OPEN_ENDED.has(channel)).map(([task]) => task))
  const interrupted = writes.filter(([task, channel]) => channel === '__interrupt__' && !finished.has(task))
  const metadata = (tuple.metadata ?? {}) as Readonly<Record<string, unknown>>
  return {
    pending: interrupted.flatMap(([, , value]) => [value].flat().map(asPending)),
    finished,
    waiting: new Set(interrupted.map(([task]) => task)),
    isOwn: metadata[MADE_BY] === call || finished.has(call),
  }
}

function asPending(given: unknown): PendingInterrupt {
  const { id, value, response_schema = null } = given as Readonly<Record<string, unknown>>
  return { id: String(id), value: asJson(value), response_schema: asJson(response_schema) as JsonObject | null }
}

/** The value in the form of the journal. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? 'null') as Json
}
