import { type ReactElement, type RefObject, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { Logo } from '../parts/logo.tsx'
import { PersonMenu } from './person-menu.tsx'
import { isInboxPath, PLACES } from './routes.tsx'

export function TopBar(): ReactElement {
  const [path] = useLocation()
  const links = useLinksInView(path)
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-line border-b bg-card px-3 sm:gap-4 sm:px-4">
      <Link href="/" className="flex items-center gap-2.5 rounded-lg font-semibold" aria-label="Holdpoint, inbox">
        <Logo className="size-7" />
        <span className="hidden lg:inline">Holdpoint</span>
      </Link>
      <nav
        ref={links}
        aria-label="Rooms"
        className="min-w-0 flex-1 overflow-x-auto max-sm:[mask-image:linear-gradient(to_right,black_85%,transparent)]"
      >
        <ul className="flex gap-1">
          {PLACES.map(({ path: to, name }) => {
            const isHere = to === '/' ? isInboxPath(path) : path.startsWith(to)
            return (
              <li key={to}>
                <Link
                  href={to}
                  aria-current={isHere ? 'page' : undefined}
                  className="flex min-h-10 items-center rounded-lg px-2 text-muted text-sm hover:bg-hover sm:px-3 hover:text-text aria-[current]:font-medium aria-[current]:text-text"
                >
                  {name}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <PersonMenu />
    </header>
  )
}

/** On a phone the links scroll sideways: that of the room that is open stays in view. */
function useLinksInView(path: string): RefObject<HTMLElement | null> {
  const links = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each room has its link
  useEffect(() => {
    links.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [path])
  return links
}
