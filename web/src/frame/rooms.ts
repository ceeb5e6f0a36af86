import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { MissingPartError } from './missing-part-error.ts'

/** A room other than the inbox. It is loaded when it is opened, and scrolls by itself. */
interface Room {
  /** A pattern of wouter: `/threads/:id`. */
  readonly path: string
  readonly room: LazyExoticComponent<ComponentType>
}

export const ROOMS: readonly Room[] = [
  room('/agents/:id?', async () => (await import('../agents/agents-page.tsx')).AgentsPage),
  room('/runs', async () => (await import('../tasks/work-page.tsx')).WorkPage),
  room('/runs/:id', async () => (await import('../run/run-page.tsx')).RunPage),
  room('/threads/:id', async () => (await import('../thread/thread-page.tsx')).ThreadPage),
  room('/tasks/:id', async () => (await import('../tasks/task-page.tsx')).TaskPage),
  room('/together', async () => (await import('../together/together-page.tsx')).TogetherPage),
  room('/grants', async () => (await import('../grants/grants-page.tsx')).GrantsPage),
  room('/audit', async () => (await import('../audit/audit-page.tsx')).AuditPage),
  room('/load', async () => (await import('../load/load-page.tsx')).LoadPage),
  room('/search', async () => (await import('../search/search-page.tsx')).SearchPage),
]

function room(path: string, load: () => Promise<ComponentType>): Room {
  const loaded = async () => {
    try {
      return { default: await load() }
    } catch (cause) {
      throw new MissingPartError(cause)
    }
  }
  return { path, room: lazy(loaded) }
}
