import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactElement, useEffect } from 'react'
import { followChanges, onChange } from '../api/changes.ts'
import { isSignedIn } from '../api/connection.ts'
import { ProblemError } from '../api/problem.ts'
import { retryReach } from '../api/retry-reach.ts'
import { useShared } from '../api/shared-value.ts'
import { Keys } from '../keys/keys-help.tsx'
import { OfflineBanner } from './offline.tsx'
import { Rooms } from './routes.tsx'
import { SignIn } from './sign-in.tsx'
import { TopBar } from './top-bar.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of changes says when something is stale.
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
