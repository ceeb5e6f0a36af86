import { type ComponentType, type LazyExoticComponent, lazy, type ReactElement, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Inbox } from '../inbox/inbox.tsx'
import { Loading, NotFound } from '../parts/states.tsx'

/** A room other than the inbox. It is loaded when it is opened, and scrolls by itself. */
interface Room {
  /** As wouter reads it: `/threads/:id`. */
  readonly path: string
  readonly room: LazyExoticComponent<ComponentType>
}

export const ROOMS: readonly Room[] = [
  {
    path: '/agents/:id?',
    room: lazy(async () => ({ default: (await import('../agents/agents-page.tsx')).AgentsPage })),
  },
  { path: '/runs', room: lazy(async () => ({ default: (await import('../tasks/work-page.tsx')).WorkPage })) },
  { path: '/runs/:id', room: lazy(async () => ({ default: (await import('../run/run-page.tsx')).RunPage })) },
  {
    path: '/threads/:id',
    room: lazy(async () => ({ default: (await import('../thread/thread-page.tsx')).ThreadPage })),
  },
  { path: '/tasks/:id', room: lazy(async () => ({ default: (await import('../tasks/task-page.tsx')).TaskPage })) },
  { path: '/grants', room: lazy(async () => ({ default: (await import('../grants/grants-page.tsx')).GrantsPage })) },
  { path: '/audit', room: lazy(async () => ({ default: (await import('../audit/audit-page.tsx')).AuditPage })) },
  { path: '/load', room: lazy(async () => ({ default: (await import('../load/load-page.tsx')).LoadPage })) },
  { path: '/search', room: lazy(async () => ({ default: (await import('../search/search-page.tsx')).SearchPage })) },
]

/** The links of the bar on top. A room that is reached from elsewhere has none. */
export const PLACES: readonly { readonly path: string; readonly name: string }[] = [
  { path: '/', name: 'Inbox' },
  { path: '/agents', name: 'Agents' },
  { path: '/runs', name: 'Runs' },
  { path: '/grants', name: 'Grants' },
  { path: '/audit', name: 'Audit' },
  { path: '/load', name: 'Load' },
  { path: '/search', name: 'Search' },
]

/** True for the paths of the list and of a hold: the list stays as it is while holds are opened and closed. */
export function isInboxPath(path: string): boolean {
  return path === '/' || path.startsWith('/holds/')
}

export function Rooms(): ReactElement {
  const [path] = useLocation()
  if (isInboxPath(path)) return <Inbox />
  return (
    <div className="h-full overflow-y-auto">
      <Suspense fallback={<Loading />}>
        <Switch>
          {ROOMS.map(({ path: at, room }) => (
            <Route key={at} path={at} component={room} />
          ))}
          <Route path="/holds">
            <Redirect to="/" replace />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </div>
  )
}
