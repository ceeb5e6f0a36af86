import type { ReactElement } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon } from '../parts/icon.tsx'

/** The links of the bar on top. A room that is reached from elsewhere has none. */
const PLACES: readonly { readonly path: string; readonly name: string }[] = [
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

/** The rooms: side by side, and on a phone a menu that is named after the room. */
export function RoomsNav({ waiting }: { readonly waiting: string }): ReactElement {
  const [path] = useLocation()
  const here = PLACES.find(place => isAt(place.path, path))
  return (
    <nav aria-label="Rooms" className="min-w-0 flex-1">
      <div className="max-md:hidden">
        <Places path={path} waiting={waiting} look="flex gap-1" />
      </div>
      <button
        type="button"
        popoverTarget="rooms"
        className="flex min-h-11 items-center gap-1.5 rounded-lg px-2 font-medium text-sm hover:bg-hover md:hidden"
      >
        {here?.name ?? 'Rooms'}
        {here?.path === '/' && <Count waiting={waiting} />}
        <Icon name="next" className="size-3.5 rotate-90 text-muted" />
      </button>
      <div
        id="rooms"
        popover="auto"
        className="fixed inset-auto top-13 left-3 max-h-[calc(100dvh-4rem)] w-56 overflow-y-auto overscroll-contain rounded-xl border border-line bg-card p-1.5 text-text shadow-float"
      >
        <Places path={path} waiting={waiting} look="grid" />
      </div>
    </nav>
  )
}

interface PlacesProps {
  readonly path: string
  readonly waiting: string
  readonly look: string
}

function Places({ path, waiting, look }: PlacesProps): ReactElement {
  return (
    <ul className={look}>
      {PLACES.map(({ path: to, name }) => (
        <li key={to}>
          <Link
            href={to}
            onClick={() => document.getElementById('rooms')?.hidePopover()}
            aria-current={isAt(to, path) ? 'page' : undefined}
            className="flex min-h-10 items-center gap-1.5 rounded-lg px-3 text-muted text-sm hover:bg-hover hover:text-text aria-[current]:font-medium aria-[current]:text-text max-md:min-h-11"
          >
            {name}
            {to === '/' && <Count waiting={waiting} />}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The conversation and the work of a run belong to the runs. */
function isAt(place: string, path: string): boolean {
  if (place === '/') return isInboxPath(path)
  return path.startsWith(place) || (place === '/runs' && /^\/(threads|tasks)\//.test(path))
}

function Count({ waiting }: { readonly waiting: string }): ReactElement | null {
  if (waiting === '') return null
  return (
    <span className="rounded-full bg-accent-soft px-1.5 font-medium text-accent text-xs tabular-nums">
      {waiting}
      <span className="sr-only"> wait for you</span>
    </span>
  )
}
