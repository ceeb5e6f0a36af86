import { RefusedError } from '../../core/errors.ts'
import type { GraphChannel, GraphHead, GraphPlace, GraphWrite } from '../../ports/store/graphs.ts'

type Row = Readonly<Record<string, unknown>>

export function asGraphHead(row: Row): GraphHead {
  return {
    thread_id: String(row['thread']),
    namespace: String(row['namespace']),
    checkpoint_id: String(row['id']),
    parent_id: row['parent'] as string | null,
    checkpoint: { type: String(row['type']), bytes: row['value'] as Uint8Array },
    metadata: { type: String(row['metadata_type']), bytes: row['metadata'] as Uint8Array },
  }
}

export function asGraphChannel(row: Row): GraphChannel {
  return {
    channel: String(row['channel']),
    version: String(row['version']),
    type: String(row['type']),
    bytes: row['value'] as Uint8Array,
  }
}

export function asGraphWrite(row: Row): GraphWrite {
  return {
    task_id: String(row['task']),
    task_path: String(row['path']),
    index: Number(row['place']),
    channel: String(row['channel']),
    type: String(row['type']),
    bytes: row['value'] as Uint8Array,
  }
}

/** A version names one value for good: checkpoints share it. */
export function refuseOtherValue({ thread_id, namespace }: GraphPlace, { channel, version }: GraphChannel): never {
  const where = namespace === '' ? thread_id : `${thread_id} (${namespace})`
  throw new RefusedError(
    'graph_conflict',
    `The channel ${JSON.stringify(channel)} of graph thread ${where} has another value at version ${version}.`,
    { hint: 'Let HoldpointSaver choose the versions of channels. Nothing was changed.' },
  )
}
