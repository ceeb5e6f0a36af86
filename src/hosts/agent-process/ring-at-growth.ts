import type { AgentSite } from './place.ts'

/**
 * Rings after the session has grown. Every process is woken by every commit to the store, and most commits of a big fleet
 * are about others: each of those costs one query here.
 */
export function ringAtGrowth(
  { store, holdpoint }: { readonly store: Pick<AgentSite['store'], 'newest'>; readonly holdpoint: Watched },
  threadId: string,
  ring: () => void,
): Disposable {
  let known: number | null = null
  const look = async () => {
    const seq = (await store.newest([threadId])).get(threadId) ?? 0
    if (seq === known) return
    known = seq
    ring()
  }
  // A store that fails is looked at by who is rung.
  return holdpoint.watch(() => void look().catch(ring))
}

type Watched = Pick<AgentSite['holdpoint'], 'watch'>
