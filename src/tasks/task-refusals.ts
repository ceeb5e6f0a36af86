import { RefusedError } from '../core/errors.ts'
import type { Task } from '../core/task/task.ts'

/** The wish is on record, but the supervisor has not carried it out so far. */
export function notCancelledYet(task: Task): RefusedError {
  return new RefusedError(
    'not_cancelled_yet',
    `Task ${task.id} is to be cancelled, but ${task.invocation.supervisor ?? 'nobody'} watches over it and has not stopped it so far.`,
    {
      hint: 'It is cancelled as soon as its supervisor reads that. If it ran in a container or on a machine that is gone, nothing will.',
      details: { task_id: task.id, supervisor: task.invocation.supervisor },
    },
  )
}

/** The wish is on record, and only the host of the task carries it out. */
export function notCancelledThere({ id, host, invocation }: Task): RefusedError {
  return new RefusedError(
    'not_cancelled_yet',
    `Task ${id} is to be cancelled, but its host ${host} has not stopped it so far.`,
    {
      hint: 'It is cancelled as soon as its supervisor, or the daemon of that host, reads that. If the host is gone for good, nothing will.',
      details: { task_id: id, supervisor: invocation.supervisor, host },
    },
  )
}

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
