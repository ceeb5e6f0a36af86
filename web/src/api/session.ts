import { useQuery } from '@tanstack/react-query'
import { get, post, remove } from './client.ts'
import { isSignedIn } from './connection.ts'
import type { Caller, SignInWay } from './documents.ts'

/** The person in whose name this page decides; `undefined` until the server has answered. */
export function useMe(): Caller | undefined {
  return useQuery({ queryKey: ['me'], queryFn: () => get<Caller>('/v1/me'), staleTime: Number.POSITIVE_INFINITY }).data
}

/** True if the person may start and end agents and runs, and give grants for the project. */
export function isOperator(me: Caller | undefined): boolean {
  return me?.role === 'operator' || me?.role === 'admin'
}

/** The token is exchanged for a cookie, which no script can read, and is kept nowhere. */
export async function signIn(token: string): Promise<void> {
  await post('/v1/session', { token })
}

/** The ways to sign in at this server other than tokens; empty until the server has answered. */
export function useSignInWays(): readonly SignInWay[] {
  const ask = () => get<{ readonly ways: readonly SignInWay[] }>('/v1/session')
  return useQuery({ queryKey: ['ways'], queryFn: ask, staleTime: Number.POSITIVE_INFINITY }).data?.ways ?? []
}

/** `everywhere`: in each browser of this person. */
export async function signOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  await remove(everywhere ? '/v1/session?everywhere=true' : '/v1/session')
  isSignedIn.set(false)
}
