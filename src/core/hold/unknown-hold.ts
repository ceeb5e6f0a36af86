import { type RefusedError, unknown } from '../errors.ts'

export function unknownHold(id: string): RefusedError {
  return unknown('unknown_hold', 'hold', { id, find: 'find_hold' })
}
