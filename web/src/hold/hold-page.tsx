import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useRef } from 'react'
import { Link } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { differences } from '../../../src/core/text/differences.ts'
import { get } from '../api/client.ts'
import type { Change, Documents, HoldView, Json, JsonObject } from '../api/documents.ts'
import { useFresh } from '../api/use-fresh.ts'
import { AnswerForm } from '../decide/answer-form.tsx'
import { sendEdited } from '../decide/bar.ts'
import { DecideBar, useControls } from '../decide/decide-bar.tsx'
import { useEditing } from '../decide/use-editing.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading, Trouble } from '../parts/states.tsx'
import { clockTime, localTime } from '../parts/time.tsx'
import { Differences } from '../text/difference.tsx'
import { Visible } from '../text/visible.tsx'
import { AskOrEdit } from './ask-or-edit.tsx'
import { CardHead } from './card-head.tsx'
import { Facts } from './facts.tsx'
import { OutcomeBanner } from './outcome-banner.tsx'
import { ResultView } from './result-view.tsx'
import { useHold } from './use-hold.ts'
import { useLiveHold } from './use-live-hold.ts'
import { useSeen } from './use-seen.ts'

interface HoldPageProps {
  readonly id: string
  /** The query string of the inbox, for the link back. */
  readonly search: string
  /** Called when a decision of this person is on record. */
  readonly onRecorded: () => void
}

export function HoldPage({ id, search, onRecorded }: HoldPageProps): ReactElement {
  const { data: hold, error, refetch } = useHold(id)
  return (
    <div className="flex h-full flex-col">
      <Link
        href={`/${search}`}
        className="flex min-h-11 shrink-0 items-center gap-1 border-line border-b bg-card px-3 text-muted text-sm lg:hidden"
      >
        <Icon name="back" /> Back to the inbox
      </Link>
      {hold ? (
        <Card hold={hold} search={search} onRecorded={onRecorded} />
      ) : error ? (
        <Trouble error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </div>
  )
}

interface CardProps extends Omit<HoldPageProps, 'id'> {
  readonly hold: HoldView
}

function Card({ hold, search, onRecorded }: CardProps): ReactElement {
  const seen = useSeen(hold)
  const editing = useEditing(hold)
  const recorded = () => {
    // The outcome is at the top. If the page goes on to the next card, this one is gone.
    seen.box.current?.scrollTo({ top: 0 })
    onRecorded()
  }
  const controls = useControls({ hold, seen, editing, onRecorded: recorded })
  useSiblingKeys(hold, search)
  const live = useLiveHold(hold)
  return (
    <>
      <div ref={seen.box} className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain" tabIndex={-1}>
        <article
          aria-labelledby="card-title"
          className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-5 sm:px-8 sm:py-7"
        >
          <CardHead hold={hold} />
          <OutcomeBanner hold={hold} />
          <ResultView hold={hold} live={live} />
          <AskedAgain hold={hold} search={search} />
          <ChangedNote hold={hold} />
          <AskOrEdit hold={hold} editing={editing} onSend={() => sendEdited(controls.bar)} />
          <AnswerForm bar={controls.bar} />
          <div className="relative">
            <div ref={seen.end} className="-top-6 absolute inset-x-0 h-px" />
            <Facts hold={hold} search={search} />
          </div>
          <History hold={hold} />
        </article>
      </div>
      <DecideBar controls={controls} />
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

function History({ hold: { history } }: { readonly hold: HoldView }): ReactElement {
  return (
    <section aria-labelledby="history" className="border-line border-t pt-5 text-sm">
      <h2 id="history" className="font-semibold">
        History
      </h2>
      <ol className="mt-2 grid gap-1.5">
        {history.map(({ at, text }) => (
          <li key={`${at} ${text}`} className="grid gap-x-6 sm:grid-cols-[9rem_1fr]">
            <time dateTime={at} title={localTime(at)} className="text-muted">
              {clockTime(at)}
            </time>
            <span className="min-w-0 break-words">
              <Visible text={text} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** P9: what is different from the version that the person opened. Nothing is shown while there is no difference. */
function ChangedNote({ hold }: { readonly hold: HoldView }): ReactElement {
  const first = useRef(hold)
  const changes = useMemo(
    () => (hold.status === 'open' ? differences(partsOf(first.current), partsOf(hold), Number.POSITIVE_INFINITY) : []),
    [hold],
  )
  return (
    <div role="status" className="grid gap-3 empty:hidden">
      {changes.length > 0 && (
        <>
          <p className="flex gap-2.5 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
            <Icon name="alert" className="mt-0.5 size-4.5" />
            <span>
              <strong>This changed while you had it open.</strong> Below is what waits now.
            </span>
          </p>
          <Differences differences={changes} was="as you opened it" is="now" />
        </>
      )}
    </div>
  )
}

function partsOf({ tool, tool_schema: schema, arguments: args, ...hold }: HoldView): JsonObject {
  const { message, assignee, due_at } = hold
  // The number of approvals so far is no change of what is asked.
  const deciders = (hold.deciders ?? null) as Json
  const preview = (hold.preview?.parts ?? null) as Json
  return { tool, schema, arguments: args, preview, message, asks: assignee, due: due_at, deciders }
}

interface AskedAgainProps {
  readonly hold: HoldView
  /** The query string of the inbox, for the link back. */
  readonly search: string
}

/** P9: a call that was approved and is not what was approved is asked about again. The way there. */
function AskedAgain({ hold: { id, call_id, thread_id, decision }, search }: AskedAgainProps): ReactElement {
  const isReleased = decision?.verdict === 'approve' || decision?.verdict === 'edit'
  const { data } = useQuery({
    queryKey: ['asked-again', id],
    enabled: isReleased && call_id !== null,
    queryFn: ({ signal }) => get<Documents['Holds']>('/v1/holds', { call_id, thread_id, limit: 1 }, signal),
  })
  useFresh(['asked-again', id], isOpening)
  const again = data?.holds[0]
  return (
    <div role="status" className="empty:hidden">
      {again && (
        <div className="flex gap-2.5 rounded-xl bg-warn-soft px-4 py-3 text-sm text-warn">
          <Icon name="alert" className="mt-0.5 size-5" />
          <p className="min-w-0 break-words">
            <strong>It is asked about again.</strong> <Visible text={again.message} />{' '}
            <Link href={`/holds/${again.id}${search}`} className="whitespace-nowrap font-medium underline">
              Look at what waits now
            </Link>
          </p>
        </div>
      )}
    </div>
  )
}

function isOpening({ kind }: Change): boolean {
  return kind === 'hold.opened'
}
