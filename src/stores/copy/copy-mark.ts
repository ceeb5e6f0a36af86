import { STORE_MOVED } from '../../core/store-gone.ts'
import { parsed } from '../rows/decode/cells.ts'
import { StoreError } from '../store-error.ts'

/** The note of both stores of a copy about it, from its beginning on. */
export interface CopyMark {
  readonly copy_id: string
  readonly role: 'source' | 'target'
  /** The other store, as people call it. */
  readonly other: string
  /** The id of the source. It stays the same if its file is moved. */
  readonly source_id: string
  readonly state: 'under_way' | 'done'
  /** ISO time of its beginning. */
  readonly at: string
  readonly by: string
}

export function readMark(record: unknown): CopyMark | null {
  return (parsed(record) ?? null) as CopyMark | null
}

/** The refusal of each write to a store that moved, or that is not all there yet. */
export function refusesWrites(mark: CopyMark | null, display: string): StoreError {
  const [message, hint] = mark ? WORDS[`${mark.role} ${mark.state}`](mark, display) : UNKNOWN
  return new StoreError(STORE_MOVED, message, { hint })
}

/** The refusal of a store that moved; `null` if it takes writes. */
export function movedBy(mark: CopyMark | null, display: string): StoreError | null {
  return mark?.role === 'source' ? refusesWrites(mark, display) : null
}

type Words = (mark: CopyMark, display: string) => readonly [message: string, hint: string]

const UNKNOWN = ['The store is being copied, so nothing is written to it.', 'Try again when that is over.'] as const

const WORDS: Readonly<Record<`${CopyMark['role']} ${CopyMark['state']}`, Words>> = {
  'source under_way': ({ other }, display) => [
    `The store ${display} moves to ${other}, so nothing is written to it any more.`,
    `Copy it to ${other} once more: that goes on where the copy was cut off. Or give the copy up, and this store goes on.`,
  ],
  'source done': ({ other }, display) => [
    `The store ${display} moved to ${other}, so nothing is written to it any more.`,
    `Name ${other} with --store or HOLDPOINT_STORE. What is here can be read.`,
  ],
  'target under_way': ({ other }, display) => [
    `The store ${display} is a copy of ${other} that is not all there yet.`,
    `Copy ${other} to it once more: that goes on where the copy was cut off.`,
  ],
  'target done': ({ other }, display) => [
    `The copy of ${other} to ${display} has just come to its end.`,
    'Run the command again.',
  ],
}
