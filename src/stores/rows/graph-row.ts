import type { GraphChannel, GraphHead, GraphPlace, GraphWrite, NewGraphCheckpoint } from '../../ports/store/graphs.ts'
import { storeFailures, storeRefusals } from '../store-refusals.ts'
import { bytes, json, number, orNull, text } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { isObject } from './decode/shapes.ts'

const HEAD = {
  ...{ thread: text(), namespace: text(), id: text() },
  parent: orNull(text()),
  ...{ type: text(), value: bytes, metadata_type: text(), metadata: bytes },
}

export function asGraphHead(row: Row): GraphHead {
  const cells = decodeRow(HEAD, row)
  return {
    thread_id: cells.thread,
    namespace: cells.namespace,
    checkpoint_id: cells.id,
    parent_id: cells.parent,
    checkpoint: { type: cells.type, bytes: cells.value },
    metadata: { type: cells.metadata_type, bytes: cells.metadata },
  }
}

type Versions = NewGraphCheckpoint['versions']

const VERSIONS = { versions: json<Versions>(isObject, 'versions', {}) }

/** The versions of its channels: a graph does not go on without them. @throws StoreError `graph_unreadable` */
export function graphVersions(row: Row): Versions {
  const { versions, unreadable } = decodeRow(VERSIONS, row)
  if (!unreadable) return versions
  throw storeFailures.graphUnreadable(row['id'], row['thread'], unreadable.problem)
}

const CHANNEL = { channel: text(), version: text(), type: text(), value: bytes }

export function asGraphChannel(row: Row): GraphChannel {
  const { channel, version, type, value } = decodeRow(CHANNEL, row)
  return { channel, version, type, bytes: value }
}

const WRITE = { task: text(), path: text(), place: number, channel: text(), type: text(), value: bytes }

export function asGraphWrite(row: Row): GraphWrite {
  const { task, path, place, channel, type, value } = decodeRow(WRITE, row)
  return { task_id: task, task_path: path, index: place, channel, type, bytes: value }
}

/** A version names one value for good: checkpoints share it. */
export function refuseOtherValue({ thread_id, namespace }: GraphPlace, { channel, version }: GraphChannel): never {
  const where = namespace === '' ? thread_id : `${thread_id} (${namespace})`
  throw storeRefusals.otherValue(channel, where, version)
}
