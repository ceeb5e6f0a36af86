import { RefusedError } from './errors.ts'

export function unknownTask(id: string): RefusedError {
  return new RefusedError('unknown_task', `There is no task ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint tasks` lists them; --store names another store.',
    details: { task_id: id },
  })
}
