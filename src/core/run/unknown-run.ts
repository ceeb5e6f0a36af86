import { RefusedError } from '../errors.ts'

export function unknownRun(id: string): RefusedError {
  return new RefusedError('unknown_run', `There is no run ${JSON.stringify(id)} in this store.`, {
    action: { do: 'find_run' },
  })
}
