import { type RefObject, useEffect, useRef } from 'react'
import type { HoldView } from '../api/documents.ts'
import { tellShown } from '../api/shown.ts'
import type { Seen } from '../decide/guard.ts'

interface Watched {
  /** For the element after the last line that an approval is about. */
  readonly end: RefObject<HTMLDivElement | null>
  /** The box that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>
  seen(): Seen
  /** Scrolls one screen on. */
  readOn(): void
}

type Shown = Pick<HoldView, 'id' | 'digest' | 'level' | 'status'>

/** Begins again with each version of the hold. The keys and the record go by the same look (P10). */
export function useSeen(hold: Shown | null): Watched {
  const end = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const version = hold && `${hold.id} ${hold.digest} ${hold.level}`
  const shown = useRef(hold)
  shown.current = hold
  const first = useRef(version)
  first.current ??= version
  const state = useRef({ since: Number.POSITIVE_INFINITY, endWasSeen: false })
  useEffect(() => {
    if (version === null || !end.current) return
    state.current = { since: performance.now(), endWasSeen: false }
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting || state.current.endWasSeen) return
      state.current.endWasSeen = true
      if (shown.current?.status === 'open') tellShown(shown.current)
    })
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [version])
  return {
    ...{ end, box },
    seen: () => ({
      ageMs: performance.now() - state.current.since,
      endWasSeen: state.current.endWasSeen,
      hasChanged: version !== first.current,
    }),
    readOn: () => box.current?.scrollBy({ top: box.current.clientHeight * 0.85 }),
  }
}
