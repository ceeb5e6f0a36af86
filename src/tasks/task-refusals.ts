import { RefusedError } from '../core/errors.ts'
import type { Task } from '../core/task/task.ts'

/** `host` is that of the task, as the store knows it. `path` is where it keeps the output. */
export function outputElsewhere(
  { id, host }: Pick<Task, 'id' | 'host'>,
  { path, server }: { readonly path: string | null; readonly server: string | null },
): RefusedError {
  const where = path === null ? '' : `, in ${path}`
  return new RefusedError('on_another_host', `The output of task ${id} is on the host ${host}${where}.`, {
    hint:
      server === null
        ? 'Read it there, or over a server of that host, once it publishes its address.'
        : `Read it over the server of that host, with --server ${server} and your token in HOLDPOINT_TOKEN.`,
    details: { task_id: id, host, path, server },
  })
}
