import { useQuery } from '@tanstack/react-query'
import { get, post, remove } from './client.ts'
import { isSignedIn } from './connection.ts'
import type { Caller } from './documents.ts'

/** The person in whose name this page decides; `undefined` until the server has said it. */
export function useMe(): Caller | undefined {
  return useQuery({ queryKey: ['me'], queryFn: () => get<Caller>('/v1/me'), staleTime: Number.POSITIVE_INFINITY }).data
}

/** The token is exchanged for a cookie, which no script can read, and is kept nowhere. */
export async function signIn(token: string): Promise<void> {
  await post('/v1/session', { token })
}

export async function signOut(): Promise<void> {
  await remove('/v1/session')
  isSignedIn.set(false)
}
