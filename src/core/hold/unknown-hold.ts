import { RefusedError } from '../errors.ts'

export function unknownHold(id: string): RefusedError {
  return new RefusedError('unknown_hold', `There is no hold ${JSON.stringify(id)} in this store.`, {
    action: { do: 'find_hold' },
  })
}
