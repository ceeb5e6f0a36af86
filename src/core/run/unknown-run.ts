import { type RefusedError, unknown } from '../errors.ts'

export function unknownRun(id: string): RefusedError {
  return unknown('unknown_run', 'run', { id, find: 'find_run' })
}

export function unknownThread(id: string): RefusedError {
  return unknown('unknown_session', 'session', { id, find: 'find_session' })
}
