import type { RunnableConfig } from '@langchain/core/runnables'
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import type {
  GraphCheckpoint,
  GraphHead,
  GraphPlace,
  GraphStore,
  GraphWrite,
  PackedValue,
} from '../ports/store/graphs.ts'

/** Checkpoints with a format below this one keep their pending sends with their parent. */
const SENDS_IN_CHANNELS = 4
const PAGE = 50

/**
 * Keeps the state of graphs in a store of Holdpoint: `new HoldpointSaver(store.graphs)`. A value of a channel is written
 * once for each version, so a step writes what it changed.
 */
export class HoldpointSaver extends BaseCheckpointSaver {
  readonly #graphs: GraphStore

  constructor(graphs: GraphStore, serde?: SerializerProtocol) {
    super(serde)
    this.#graphs = graphs
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return
    const place = placeOf(config)
    const found = await this.#graphs.find({ ...place, checkpoint_id: getCheckpointId(config) || null })
    return found ? this.#tuple(found) : undefined
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    let left = options.limit ?? Number.POSITIVE_INFINITY
    for await (const head of this.#heads(config, options.before)) {
      if (left <= 0) return
      if (!isLike(await this.#load(head.metadata), options.filter)) continue
      const found = await this.#graphs.find(head)
      if (found === null) continue
      left -= 1
      yield await this.#tuple(found)
    }
  }

  async *#heads({ configurable = {} }: RunnableConfig, before?: RunnableConfig): AsyncGenerator<GraphHead> {
    const query = {
      ...given('thread_id', configurable['thread_id']),
      ...given('namespace', configurable['checkpoint_ns']),
      ...given('checkpoint_id', configurable['checkpoint_id']),
      ...given('before', before && (getCheckpointId(before) || undefined)),
      limit: PAGE,
    }
    for (let after: GraphHead | undefined; ; ) {
      const page = await this.#graphs.heads(after ? { ...query, after } : query)
      yield* page
      after = page.at(-1)
      if (page.length < PAGE) return
    }
  }

  /** @throws TypeError without a `thread_id`; RefusedError `graph_conflict` */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { channel_values: values, ...rest } = checkpoint
    const place: GraphPlace = { ...placeOf(config), checkpoint_id: checkpoint.id }
    const changed = Object.entries(newVersions).filter(([channel]) => Object.hasOwn(values, channel))
    await this.#graphs.put({
      ...place,
      parent_id: getCheckpointId(config) || null,
      checkpoint: await this.#pack(rest),
      metadata: await this.#pack(metadata),
      versions: Object.fromEntries(Object.entries(checkpoint.channel_versions).map(asText)),
      channels: await Promise.all(
        changed.map(async ([channel, version]) => ({
          channel,
          version: String(version),
          ...(await this.#pack(values[channel])),
        })),
      ),
    })
    return configOf(place)
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const checkpoint_id = getCheckpointId(config)
    if (checkpoint_id === '') throw new TypeError('Writes of a graph need `configurable.checkpoint_id`.')
    const packed = await Promise.all(
      writes.map(async ([channel, value], n): Promise<[number, GraphWrite]> => {
        const index = WRITES_IDX_MAP[channel] ?? n
        return [index, { task_id: taskId, task_path: taskPath, index, channel, ...(await this.#pack(value)) }]
      }),
    )
    await this.#graphs.putWrites({ ...placeOf(config), checkpoint_id }, [...new Map(packed).values()])
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#graphs.forget(threadOf(threadId))
  }

  /**
   * Two branches of one thread may count to the same number, and their values differ: the fraction keeps them apart. The
   * number grows, as LangGraph demands.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.random()
  }

  async #tuple(found: GraphCheckpoint): Promise<CheckpointTuple> {
    const checkpoint = (await this.#load(found.checkpoint)) as Checkpoint
    const channels = found.channels.map(async each => [each.channel, await this.#load(each)] as const)
    checkpoint.channel_values = Object.fromEntries(await Promise.all(channels))
    if (checkpoint.v < SENDS_IN_CHANNELS) await this.#takeInSends(checkpoint, found)
    const { parent_id } = found
    return {
      config: configOf(found),
      checkpoint,
      metadata: (await this.#load(found.metadata)) as CheckpointMetadata,
      pendingWrites: await this.#writes(found.writes),
      ...(parent_id !== null && { parentConfig: configOf({ ...found, checkpoint_id: parent_id }) }),
    }
  }

  async #takeInSends(checkpoint: Checkpoint, { parent_id, ...place }: GraphCheckpoint): Promise<void> {
    if (parent_id === null) return
    const parent = await this.#graphs.find({ ...place, checkpoint_id: parent_id })
    const sends = (parent?.writes ?? []).filter(({ channel }) => channel === TASKS)
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(send => this.#load(send)))
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  async #writes(writes: readonly GraphWrite[]): Promise<CheckpointPendingWrite[]> {
    return Promise.all(
      writes.map(
        async (write): Promise<CheckpointPendingWrite> => [write.task_id, write.channel, await this.#load(write)],
      ),
    )
  }

  async #pack(value: unknown): Promise<PackedValue> {
    const [type, bytes] = await this.serde.dumpsTyped(value)
    return { type, bytes }
  }

  #load({ type, bytes }: PackedValue): Promise<unknown> {
    return this.serde.loadsTyped(type, bytes)
  }
}

function configOf({ thread_id, namespace, checkpoint_id }: GraphPlace): RunnableConfig {
  return { configurable: { thread_id, checkpoint_ns: namespace, checkpoint_id } }
}

function asText([channel, version]: [string, string | number]): [string, string] {
  return [channel, String(version)]
}

/** Left out if it is undefined. */
function given<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: String(value) } as { readonly [P in K]?: string })
}

function isLike(metadata: unknown, filter: CheckpointListOptions['filter'] = {}): boolean {
  const known = metadata as Readonly<Record<string, unknown>>
  return Object.entries(filter).every(([key, value]) => known[key] === value)
}

/** @throws TypeError without a `thread_id` */
function placeOf({ configurable = {} }: RunnableConfig): Omit<GraphPlace, 'checkpoint_id'> {
  const { thread_id, checkpoint_ns = '' } = configurable
  return { thread_id: threadOf(thread_id), namespace: String(checkpoint_ns) }
}

/** @throws TypeError if it cannot name a thread */
function threadOf(given: unknown): string {
  if (typeof given === 'string' && given !== '' && !given.includes('\0')) return given
  throw new TypeError(
    'A graph with a checkpointer needs the name of its thread: `{ configurable: { thread_id: "…" } }`, a text that is not ' +
      'empty.',
  )
}
