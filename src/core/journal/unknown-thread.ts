import { RefusedError } from '../errors.ts'

export function unknownThread(id: string): RefusedError {
  return new RefusedError('unknown_session', `There is no session ${JSON.stringify(id)} in this store.`, {
    action: { do: 'find_session' },
  })
}
