import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useCallback, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { failureText } from '../../../src/core/run/outcome/run-failure.ts'
import { costText } from '../../../src/core/run/usage/money.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { get } from '../api/client.ts'
import type { Change, Documents } from '../api/documents.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Room } from '../parts/room.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { localTime, useNow } from '../parts/time.tsx'
import { PlanView } from './plan-view.tsx'
import { RunTabs } from './run-tabs.tsx'
import { lengthText } from './span-words.ts'
import { busyScale, evenScale } from './time-scale.ts'
import { TimelineRow } from './timeline-row.tsx'
import type { TimeShares } from './where-time-went.ts'
import { intervalOf, type Timeline, timeShares } from './where-time-went.ts'

/** The stream of changes has no events for steps and calls of an active run. */
const LOOK_AGAIN_MS = 2_000

/** A run over time: its steps, its calls and its waits to scale, and why each effect happened. */
export function RunPage(): ReactElement {
  const { id = '' } = useParams<{ id: string }>()
  const timeline = useQuery({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => get<Timeline>(`/v1/runs/${id}/timeline`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? LOOK_AGAIN_MS : false),
  })
  useFresh(
    ['timeline', id],
    useCallback((change: Change) => change.run_id === id, [id]),
  )
  if (timeline.data) return <Drawn timeline={timeline.data} />
  return timeline.error ? <Trouble error={timeline.error} again={() => void timeline.refetch()} /> : <Loading />
}

function usageText(usage: Timeline['usage']): string {
  const cost = costText(usage)
  const tokens = `${usage.input_tokens.toLocaleString('en')} tokens in, ${usage.output_tokens.toLocaleString('en')} out`
  return cost === null ? tokens : `${tokens} · ${cost}`
}

function Drawn({ timeline }: { readonly timeline: Timeline }): ReactElement {
  const { run_id, thread_id, agent, task, asked_by, failed, rejected, started_at, ended_at, steps, usage } = timeline
  const current = useNow()
  const now = ended_at === null ? current : Date.parse(ended_at)
  const { from, to } = intervalOf(timeline, now)
  const explained = useQuery({
    queryKey: ['explanation', run_id, timeline.spans.length],
    queryFn: ({ signal }) => get<Documents['ExplainedRun']>(`/v1/runs/${run_id}/explanation`, {}, signal),
  }).data
  return (
    <Room
      title={visibleLine(task ?? agent)}
      about={
        <>
          {task !== null && `${agent}${asked_by === null ? '' : ` · asked by ${asked_by}`} · `}
          {failed !== null && ended_at !== null && (
            <>
              <strong className="font-semibold text-bad">failed: {failureText(failed)}</strong> ·{' '}
            </>
          )}
          {rejected > 0 && `${rejected} rejected · `}
          {ended_at === null ? `Under way for ${lengthText(to - from)}` : `Took ${lengthText(to - from)}`}, since{' '}
          <time dateTime={started_at}>{localTime(started_at)}</time> · {steps} {steps === 1 ? 'step' : 'steps'} ·{' '}
          {usageText(usage)}
        </>
      }
    >
      <RunTabs runId={run_id} threadId={thread_id} here="timeline" />
      <Faults explained={explained} />
      {timeline.stuck && <Stuck {...timeline.stuck} />}
      <PlanView runId={run_id} after={timeline.spans.length} />
      {timeline.spans.length === 0 ? (
        <Empty title="Nothing has happened yet">Its first step appears here by itself.</Empty>
      ) : (
        <>
          <SharesBar shares={timeShares(timeline, now)} />
          <Bars timeline={timeline} now={now} explained={explained} />
        </>
      )}
    </Room>
  )
}

function Stuck({ message, hint }: NonNullable<Timeline['stuck']>): ReactElement {
  return (
    <div role="alert" className="mb-5 rounded-lg bg-bad-soft px-4 py-3 text-bad text-sm">
      <p className="font-medium">It is stuck: {visibleLine(message)}</p>
      <p className="mt-1">{visibleLine(hint)}</p>
    </div>
  )
}

/** Effects that must never be. */
function Faults({ explained }: { readonly explained: Documents['ExplainedRun'] | undefined }): ReactElement | null {
  if (!explained || explained.faults.length === 0) return null
  return (
    <div role="alert" className="mb-5 rounded-lg bg-bad-soft px-4 py-3 text-bad text-sm">
      <p className="font-medium">Something ran that nothing on record released.</p>
      <ul className="mt-1 list-disc pl-5">
        {explained.faults.map(({ seq, call_id, message }) => (
          <li key={`${seq} ${call_id}`}>{message}</li>
        ))}
      </ul>
    </div>
  )
}

interface BarsProps {
  readonly timeline: Timeline
  readonly now: number
  readonly explained: Documents['ExplainedRun'] | undefined
}

function Bars({ timeline, now, explained }: BarsProps): ReactElement {
  const [isEven, setEven] = useState(true)
  const scale = useMemo(() => {
    const whole = intervalOf(timeline, now)
    if (isEven) return evenScale(whole)
    const busy = timeline.spans.filter(({ kind }) => kind !== 'wait').map(span => intervalOf(span, now))
    return busyScale(whole, busy)
  }, [timeline, now, isEven])
  return (
    <section className="mt-7" aria-label="What happened, in order">
      <div className="flex items-center gap-3">
        <h2 className="font-semibold text-sm">What happened</h2>
        <label className="ml-auto flex min-h-10 cursor-pointer items-center gap-2 text-muted text-sm">
          <input
            type="checkbox"
            checked={!isEven}
            onChange={() => setEven(!isEven)}
            className="size-4 cursor-pointer accent-accent"
          />
          Cut waits short
        </label>
      </div>
      <Ticks ticks={scale.ticks} />
      <ol className="border-line border-t">
        {timeline.spans.map((span, place) => (
          <TimelineRow key={keyOf(span, place)} {...{ span, scale, now, explained }} />
        ))}
      </ol>
    </section>
  )
}

function keyOf(span: Timeline['spans'][number], place: number): string {
  if (span.kind === 'wait') return span.hold_id
  return span.kind === 'call' ? `${span.call_id} ${span.attempt} ${place}` : `step ${span.step}`
}

const WHOLE = 100
/** Nearer to the end there is no room for its words. */
const LAST_TICK = 0.94

function Ticks({ ticks }: Pick<ReturnType<typeof evenScale>, 'ticks'>): ReactElement | null {
  if (ticks.length === 0) return null
  return (
    <div className="hidden grid-cols-[15rem_1fr_5rem] gap-x-3 sm:grid lg:grid-cols-[24rem_1fr_5rem]" aria-hidden="true">
      <div className="relative col-start-2 h-5 text-muted text-xs">
        {ticks
          .filter(({ at }) => at < LAST_TICK)
          .map(({ at, since }) => (
            <span
              key={since}
              className="absolute border-line border-l pl-1 leading-5"
              style={{ left: `${at * WHOLE}%` }}
            >
              {since === 0 ? 'start' : lengthText(since)}
            </span>
          ))}
      </div>
    </div>
  )
}

const PARTS: Readonly<Record<keyof TimeShares, { readonly name: string; readonly colour: string }>> = {
  wait: { name: 'People', colour: 'bg-warn' },
  call: { name: 'Tools', colour: 'bg-good' },
  model: { name: 'Model', colour: 'bg-accent' },
  rest: { name: 'Nobody', colour: 'bg-strong-line' },
}

/** The time of a run by kind of work, as one bar. */
function SharesBar({ shares }: { readonly shares: TimeShares }): ReactElement {
  const total = Math.max(
    Object.values(shares).reduce((sum, ms) => sum + ms, 0),
    1,
  )
  const parts = (Object.keys(PARTS) as (keyof TimeShares)[]).filter(part => shares[part] > 0)
  return (
    <section aria-label="Where the time went">
      <div className="flex h-3 gap-px overflow-hidden rounded-full bg-hover" aria-hidden="true">
        {parts.map(part => (
          <div
            key={part}
            className={`min-w-1 ${PARTS[part].colour}`}
            style={{ width: `${(shares[part] / total) * WHOLE}%` }}
          />
        ))}
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-sm">
        {parts.map(part => (
          <div key={part} className="flex items-baseline gap-2">
            <dt className="flex items-center gap-1.5 text-muted">
              <span aria-hidden="true" className={`size-2.5 rounded-xs ${PARTS[part].colour}`} />
              {PARTS[part].name}
            </dt>
            <dd className="font-medium tabular-nums">
              {lengthText(shares[part])}
              <span className="ml-1.5 font-normal text-muted">{percent(shares[part] / total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function percent(part: number): string {
  return part < 0.01 ? '<1%' : `${Math.round(part * WHOLE)}%`
}
