import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactElement, Suspense, useEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { followChanges, onChange } from '../api/changes.ts'
import { isReachable, isSignedIn } from '../api/connection.ts'
import { ProblemError } from '../api/problem.ts'
import { retryReach } from '../api/retry-reach.ts'
import { useShared } from '../api/shared-value.ts'
import { useWaiting } from '../api/waiting.ts'
import { Inbox } from '../inbox/inbox.tsx'
import { Keys } from '../keys/keys-help.tsx'
import { Logo } from '../parts/logo.tsx'
import { Loading, NotFound } from '../parts/states.tsx'
import { useCalls } from './calls.ts'
import { Guard } from './guard.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ROOMS } from './rooms.ts'
import { isInboxPath, RoomsNav } from './rooms-nav.tsx'
import { SignIn } from './sign-in.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of changes reports stale data earlier.
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      retry: (tries, thrown) => !(thrown instanceof ProblemError) && tries < 3,
    },
  },
})

export function App(): ReactElement {
  const signedIn = useShared(isSignedIn)
  return (
    <QueryClientProvider client={queries}>{signedIn ? <Signed /> : <SignIn onSignedIn={begin} />}</QueryClientProvider>
  )
}

/** Another person may have signed in: nothing is kept of what the one before was shown. */
function begin(): void {
  queries.clear()
  isSignedIn.set(true)
}

function Signed(): ReactElement {
  useEffect(() => {
    const ends = [onChange(poke => poke === 'all' && void queries.invalidateQueries()), followChanges(), retryReach()]
    return () => {
      for (const end of ends) end()
    }
  }, [])
  return (
    <div className="flex h-dvh flex-col bg-page">
      <a
        href="#main"
        className="absolute -top-16 left-4 z-50 rounded-b-lg bg-accent px-4 py-2 text-on-accent focus:top-0"
      >
        Skip to what waits
      </a>
      <Keys />
      <TopBar />
      <OfflineBanner />
      <main id="main" className="min-h-0 flex-1" tabIndex={-1}>
        <Rooms />
      </main>
    </div>
  )
}

function OfflineBanner(): ReactElement {
  const reachable = useShared(isReachable)
  return (
    <div role="status" className="shrink-0">
      {!reachable && (
        <p className="border-line border-b bg-warn-soft px-4 py-2 text-center text-sm text-warn">
          The server cannot be reached. You see what was last known; decisions wait for the network.
        </p>
      )}
    </div>
  )
}

function TopBar(): ReactElement {
  const waiting = useWaiting()
  useCalls(waiting)
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-line border-b bg-card px-3 sm:gap-4 sm:px-4">
      <Link href="/" className="flex items-center gap-2.5 rounded-lg font-semibold" aria-label="Holdpoint, inbox">
        <Logo className="size-7" />
        <span className="hidden lg:inline">Holdpoint</span>
      </Link>
      <RoomsNav waiting={waiting} />
      <PersonMenu />
    </header>
  )
}

function Rooms(): ReactElement {
  const [path] = useLocation()
  const isInbox = isInboxPath(path)
  return (
    <Guard at={path}>
      {isInbox ? (
        <Inbox />
      ) : (
        <div className="relative h-full overflow-y-auto">
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
      )}
    </Guard>
  )
}
