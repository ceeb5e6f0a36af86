import { type ComponentType, type LazyExoticComponent, type ReactElement, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Inbox } from '../inbox/inbox.tsx'
import { Loading, NotFound } from '../parts/states.tsx'

/** A room other than the inbox. It is loaded when it is opened, and scrolls by itself. */
interface Room {
  /** As wouter reads it: `/threads/:id`. */
  readonly path: string
  readonly room: LazyExoticComponent<ComponentType>
}

/** `{ path: '/runs', room: lazy(async () => ({ default: (await import('../run/runs-page.tsx')).RunsPage })) }` */
export const ROOMS: readonly Room[] = []

/** The links of the bar on top. A room that is reached from elsewhere has none. */
export const PLACES: readonly { readonly path: string; readonly name: string }[] = [{ path: '/', name: 'Inbox' }]

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
