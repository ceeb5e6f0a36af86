import { RefusedError } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../text/json.ts'

/** The name that a task has beside its id, in its details. Of one kind no two that are not over have the same. */
export function taskName({ details }: { readonly details: JsonObject }): string | null {
  const { name } = isJsonObject(details) ? details : {}
  return typeof name === 'string' ? name : null
}

/** @throws RefusedError `name_taken` if one of the tasks, which are not over, has the name */
export function refuseTakenName(
  name: string,
  tasks: Iterable<{ readonly id: string; readonly details: JsonObject }>,
): void {
  for (const task of tasks)
    if (taskName(task) === name)
      throw new RefusedError('name_taken', `Another agent is called ${name}: ${task.id}. Nothing was started.`, {
        hint: 'Choose another name, or end that agent first.',
        details: { task_id: task.id },
      })
}
