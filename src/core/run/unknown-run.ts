import { RefusedError } from '../errors.ts'

export function unknownRun(id: string): RefusedError {
  return new RefusedError('unknown_run', `There is no run ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint runs` lists them; --store names another store.',
  })
}
