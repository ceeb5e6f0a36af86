/** The page learns of changes by one stream, whose events are ids. The page then fetches what is in view again. */
import type { Change } from './documents.ts'
import { followStream } from './stream-follower.ts'

/** A change, or word that some may have been missed. */
export type Poke = Change | 'all'
type Listener = (poke: Poke) => void

const listeners = new Set<Listener>()

/** Ends with the function that it returns. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(poke: Poke): void {
  for (const listener of listeners) listener(poke)
}

/** Follows the changes until the function that it returns is called. */
export function followChanges(): () => void {
  return followStream('/v1/changes', { onOpen: () => tell('all'), onFrame: ({ data }) => tell(data as Change) })
}
