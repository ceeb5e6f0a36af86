import type { CheckpointTuple } from '@langchain/langgraph-checkpoint'
import type { Json, JsonObject } from '../core/text/json.ts'
import type { PendingInterrupt } from './interrupted.ts'

/** Where a graph stands in its thread, by its newest checkpoint. */
export interface Standing {
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
export const MADE_BY = 'holdpoint_call'

/** A task that wrote more than these is over. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['__error__', '__error_source_node__', '__interrupt__', '__resume__'])

/** `null` if the graph did not begin. */
export function standingOf(tuple: CheckpointTuple | undefined, call: string): Standing | null {
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

/** As the journal keeps it. */
export function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? 'null') as Json
}
