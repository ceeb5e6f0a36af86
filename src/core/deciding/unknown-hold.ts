import { type RefusedError, unknown } from '../errors.ts'

/** Refuses an id of no hold in this store. */
export function unknownHold(id: string): RefusedError {
  return unknown('unknown_hold', 'hold', { id, find: 'find_hold' })
}
