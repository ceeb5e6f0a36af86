/** A value as a serializer wrote it; the serializer reads it by its `type`. */
export interface PackedValue {
  readonly type: string
  readonly bytes: Uint8Array
}

/** The value of one channel of a graph at one version. */
export interface GraphChannel extends PackedValue {
  readonly channel: string
  readonly version: string
}

/** The place of a checkpoint. Ids of checkpoints sort by time. */
export interface GraphPlace {
  readonly thread_id: string
  /** Empty for the graph itself; a subgraph has one of its own. */
  readonly namespace: string
  readonly checkpoint_id: string
}

/** A checkpoint without the values of its channels. */
export interface GraphHead extends GraphPlace {
  /** The checkpoint it follows, in the same thread and namespace; `null` for the first. */
  readonly parent_id: string | null
  readonly checkpoint: PackedValue
  readonly metadata: PackedValue
}

/** A checkpoint as it is put. */
export interface NewGraphCheckpoint extends GraphHead {
  /** The version of each channel that the checkpoint has. */
  readonly versions: Readonly<Record<string, string>>
  /** The channels that changed: the store has the others. */
  readonly channels: readonly GraphChannel[]
}

/** A write of a graph's task after a checkpoint, before the next one. */
export interface GraphWrite extends PackedValue {
  readonly task_id: string
  /** The place of the task in its step, by which its writes are ordered. */
  readonly task_path: string
  /** Below 0: this write takes the place of the one before it. From 0 on, the first one stays. */
  readonly index: number
  readonly channel: string
}

/** A whole checkpoint. */
export interface GraphCheckpoint extends GraphHead {
  /** The channels of its versions. One that was emptied has no value. */
  readonly channels: readonly GraphChannel[]
  readonly writes: readonly GraphWrite[]
}

/** Chooses checkpoints, newest first. All that is given must fit. */
export interface GraphQuery {
  readonly thread_id?: string
  readonly namespace?: string
  readonly checkpoint_id?: string
  /** Only checkpoints with an id before this one. */
  readonly before?: string
  readonly limit: number
  /** The last one of the page before this one. */
  readonly after?: GraphPlace
}

/**
 * The state of LangGraph graphs, as their checkpointer (`holdpoint/langgraph`) keeps it. A value of a channel is written
 * once and never rewritten, so the cost of a step follows what the step changed.
 */
export interface GraphStore {
  /** A checkpoint that is there already gets its new content. @throws RefusedError `graph_conflict` */
  put(checkpoint: NewGraphCheckpoint): Promise<void>
  putWrites(place: GraphPlace, writes: readonly GraphWrite[]): Promise<void>
  /** Without `checkpoint_id`, the newest one. */
  find(
    place: Omit<GraphPlace, 'checkpoint_id'> & { readonly checkpoint_id: string | null },
  ): Promise<GraphCheckpoint | null>
  heads(query: GraphQuery): Promise<readonly GraphHead[]>
  /** Deletes all that a thread has. `Retention.prune` does it too, with a thread of Holdpoint that has this id. */
  forget(threadId: string): Promise<void>
}
