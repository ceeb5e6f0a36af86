import { taskRefusals } from '../refusals/task-refusals.ts'
import { isJsonObject, type JsonObject } from '../text/json.ts'

/** The name of a task in its details. No two unfinished tasks of a kind have the same. */
export function taskName({ details }: { readonly details: JsonObject }): string | null {
  const { name } = isJsonObject(details) ? details : {}
  return typeof name === 'string' ? name : null
}

/**
 * Keeps a name for one task. `tasks` are those of its kind that are not over.
 * @throws RefusedError `name_taken` if one of them has it
 */
export function refuseTakenName(
  name: string,
  tasks: Iterable<{ readonly id: string; readonly details: JsonObject }>,
): void {
  for (const task of tasks) if (taskName(task) === name) throw taskRefusals.nameTaken(name, task.id)
}
