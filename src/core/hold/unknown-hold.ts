import { RefusedError } from '../errors.ts'

export function unknownHold(id: string): RefusedError {
  return new RefusedError('unknown_hold', `There is no hold ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint holds` lists what waits here; --store names another store.',
  })
}
