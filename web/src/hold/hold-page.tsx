import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import type { HoldView } from '../api/documents.ts'
import { DecideBar } from '../decide/decide-bar.tsx'
import { useEditing } from '../decide/use-editing.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading, Trouble } from '../parts/states.tsx'
import { AskOrEdit } from './ask-or-edit.tsx'
import { AskedAgain } from './asked-again.tsx'
import { CardHead } from './card-head.tsx'
import { ChangedNote } from './changed-note.tsx'
import { Facts } from './facts.tsx'
import { History } from './history.tsx'
import { OutcomeBanner } from './outcome-banner.tsx'
import { useHold } from './use-hold.ts'
import { useSeen } from './use-seen.ts'

interface HoldPageProps {
  readonly id: string
  /** Of the list behind it. */
  readonly search: string
}

export function HoldPage({ id, search }: HoldPageProps): ReactElement {
  const { data: hold, error, refetch } = useHold(id)
  return (
    <div className="flex h-full flex-col">
      <Link
        href={`/${search}`}
        className="flex min-h-11 shrink-0 items-center gap-1 border-line border-b bg-card px-3 text-muted text-sm lg:hidden"
      >
        <Icon name="back" /> All that waits
      </Link>
      {hold ? <Card hold={hold} search={search} /> : error ? <Trouble error={error} again={refetch} /> : <Loading />}
    </div>
  )
}

function Card({ hold, search }: { readonly hold: HoldView; readonly search: string }): ReactElement {
  const seen = useSeen(hold)
  const editing = useEditing(hold)
  useSiblingKeys(hold, search)
  return (
    <>
      <div ref={seen.box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain" tabIndex={-1}>
        <article
          aria-labelledby="card-title"
          className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5 sm:px-8 sm:py-7"
        >
          <CardHead hold={hold} />
          <OutcomeBanner hold={hold} />
          <AskedAgain hold={hold} search={search} />
          <ChangedNote hold={hold} />
          <AskOrEdit hold={hold} editing={editing} />
          <div className="relative">
            <div ref={seen.end} className="-top-6 absolute inset-x-0 h-px" />
            <Facts hold={hold} search={search} />
          </div>
          <History hold={hold} />
        </article>
      </div>
      <DecideBar hold={hold} seen={seen} editing={editing} />
    </>
  )
}

/** `[` and `]`: the holds of the same answer of the agent, in the order in which they were opened. */
function useSiblingKeys({ siblings, id }: HoldView, search: string): void {
  const ids = [id, ...siblings.flatMap(({ hold_id }) => hold_id ?? [])].toSorted()
  const go = (by: number) => {
    const to = ids[ids.indexOf(id) + by]
    if (to) navigate(`/holds/${to}${search}`)
  }
  useVerbs({ 'sibling-before': () => go(-1), 'sibling-after': () => go(1) })
}
