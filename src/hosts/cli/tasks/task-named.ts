import { RefusedError } from '../../../core/errors.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import { fullId } from '../../command/full-id.ts'

/**
 * The id of a task, from its id, the beginning of that, or the name of the agent that runs in it; the word itself if it
 * names none. @throws RefusedError `ambiguous_id`
 */
export async function taskNamed(holdpoint: Holdpoint, word: string): Promise<string> {
  const id = await fullId(holdpoint, word)
  if (id.startsWith('task_')) return id
  try {
    return (await holdpoint.agents.find(id)).id
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_agent') return word
    throw thrown
  }
}
