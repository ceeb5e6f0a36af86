import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskRegistry } from '../ports/store/fleet/task-registry.ts'

/** In one query. */
const AT_ONCE = 500

/** Removes output of tasks that the registry no longer has. Entries that are not named like a task stay. */
export async function sweepOutput(registry: TaskRegistry, directory: string): Promise<void> {
  // Listed first: a task is on record before anything of it is kept.
  const kept = (await namesIn(directory)).filter(name => name.startsWith('task_'))
  for (let from = 0; from < kept.length; from += AT_ONCE) {
    const ids = kept.slice(from, from + AT_ONCE)
    const known = new Set((await registry.tasks({ ids })).map(({ id }) => id))
    for (const id of ids) if (!known.has(id)) await rm(join(directory, id), { recursive: true, force: true })
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
