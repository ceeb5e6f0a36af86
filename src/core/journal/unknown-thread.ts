import { type RefusedError, unknown } from '../errors.ts'

export function unknownThread(id: string): RefusedError {
  return unknown('unknown_session', 'session', { id, find: 'find_session' })
}
