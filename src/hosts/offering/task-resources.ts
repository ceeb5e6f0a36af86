import { RefusedError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Control, ControlContext } from '../../ports/agent/control.ts'
import { type Reader, type ResourceSource, SURFACE } from '../../protocols/mcp/offer/offer.ts'

const LIST = 'get_all_tasks'
const DETAILS = 'get_task_details'

/** Tasks as their controls tell of them. */
export function taskResources(controls: readonly Control[]): readonly ResourceSource[] {
  const named = (name: string) => controls.find(control => control.name === name)
  const [list, details] = [named(LIST), named(DETAILS)]
  if (!list || !details) return []
  const by = (reader: Reader): ControlContext => ({ ...reader, surface: SURFACE, onProgress: () => {} })
  return [
    {
      uri: 'holdpoint://tasks',
      one: 'task',
      title: 'Tasks',
      description: `All tasks, as ${LIST} tells of them.`,
      list: reader => list.call({}, by(reader)),
      read: (id, reader) => unlessUnknown(details.call({ task_id: id }, by(reader))),
      members: async reader => membersIn(await list.call({}, by(reader))),
    },
  ]
}

async function unlessUnknown(details: Promise<JsonObject>): Promise<Json | null> {
  try {
    return await details
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_task') return null
    throw thrown
  }
}

function membersIn({ tasks }: JsonObject): { id: string; title: string }[] {
  if (!Array.isArray(tasks)) return []
  return (tasks as readonly JsonObject[]).map(task => {
    const id = String(task['task_id'] ?? task['id'])
    return { id, title: visibleLine(`${task['status']}: ${task['title'] ?? id}`) }
  })
}
