import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import type { Documents } from '../api/documents.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { clockTime, localTime } from '../parts/time.tsx'
import { LongText } from '../text/long-text.tsx'
import { endOf, factsOf, isFault, lengthText, nameOf } from './span-words.ts'
import type { TimeScale } from './time-scale.ts'
import { intervalOf, type Span } from './where-time-went.ts'

type Explained = Documents['ExplainedRun']

interface RowProps {
  readonly span: Span
  readonly scale: TimeScale
  /** In milliseconds since 1970. */
  readonly now: number
  /** `undefined` until it is known. */
  readonly explained: Explained | undefined
}

const ICONS: Readonly<Record<Span['kind'], IconName>> = { model: 'message', call: 'terminal', wait: 'people' }
const WHOLE = 100

/** A part of the run: its name, its place in time, and how it ended. A click shows why. */
export function TimelineRow({ span, scale, now, explained }: RowProps): ReactElement {
  const { from, to } = intervalOf(span, now)
  const length = lengthText(to - from)
  return (
    <li className="border-line border-b">
      <details className="group">
        <summary className="grid min-h-11 list-none grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1 py-1.5 hover:bg-hover sm:grid-cols-[15rem_1fr_5rem] lg:grid-cols-[24rem_1fr_5rem] sm:py-1 [&::-webkit-details-marker]:hidden">
          <span className="flex min-w-0 items-center gap-2 pl-1 text-sm">
            <Icon name={ICONS[span.kind]} className="size-4 text-muted" />
            <span className="min-w-0">
              <span className="block truncate" dir="auto" title={nameOf(span)}>
                {nameOf(span)}
              </span>
              <span className="block truncate text-muted text-xs">
                <span className={isFault(span) ? 'text-bad' : ''}>{endOf(span)}</span>
                {factsOf(span).map(fact => ` · ${visibleLine(fact)}`)}
              </span>
            </span>
          </span>
          <span className="pr-1 text-right text-muted text-xs tabular-nums sm:order-last">{length}</span>
          <span className="relative col-span-2 h-3 sm:col-span-1 sm:h-4" aria-hidden="true">
            <span
              className={`absolute inset-y-0 min-w-[3px] rounded-xs ${colourOf(span)}`}
              style={{ left: `${scale.at(from) * WHOLE}%`, width: `${(scale.at(to) - scale.at(from)) * WHOLE}%` }}
            />
          </span>
        </summary>
        <Behind span={span} explained={explained} />
      </details>
    </li>
  )
}

function colourOf(span: Span): string {
  if (isFault(span)) return 'bg-bad'
  const colour = { model: 'bg-accent', call: 'bg-good', wait: 'bg-warn' }[span.kind]
  return span.ended_at === null ? `${colour} animate-[pulse_2s_ease-in-out_infinite]` : colour
}

function Behind({ span, explained }: Pick<RowProps, 'span' | 'explained'>): ReactElement {
  return (
    <div className="grid gap-2 px-7 pb-3 text-sm">
      <p className="text-muted text-xs">
        Step {span.step} · {localTime(span.started_at)}
        {span.ended_at !== null && ` to ${localTime(span.ended_at)}`}
      </p>
      {span.kind === 'model' && <Answer span={span} />}
      {span.kind === 'call' && <Why span={span} explained={explained} />}
      {span.kind === 'wait' && (
        <p>
          <Link href={`/holds/${span.hold_id}`} className="text-accent underline-offset-4 hover:underline">
            What was asked, and all that happened to it
          </Link>
        </p>
      )}
    </div>
  )
}

function Answer({ span: { text, usage } }: { readonly span: Extract<Span, { kind: 'model' }> }): ReactElement {
  const cached = usage.cached_input_tokens ?? 0
  return (
    <>
      {text !== '' && (
        <div className="rounded-lg border border-line bg-sunken px-3 py-2">
          <LongText text={text} />
        </div>
      )}
      <p className="text-muted text-xs">
        {usage.input_tokens.toLocaleString('en')} tokens in{cached > 0 && ` (${cached.toLocaleString('en')} kept)`},{' '}
        {usage.output_tokens.toLocaleString('en')} out
      </p>
    </>
  )
}

interface WhyProps {
  readonly span: Extract<Span, { kind: 'call' }>
  readonly explained: Explained | undefined
}

/** Why its tool was allowed to run. */
function Why({ span, explained }: WhyProps): ReactElement {
  const call = explained?.calls.find(({ call_id }) => call_id === span.call_id)
  const effect = call?.effects.find(({ attempt }) => attempt === span.attempt) ?? call?.effects[0]
  return (
    <>
      <p>{effect ? releasedText(effect) : explained ? 'It is not on record.' : 'Asking why…'}</p>
      {call && (
        <div className="rounded-lg border border-line bg-sunken px-3 py-2">
          <LongText
            text={typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments, null, 2)}
          />
        </div>
      )}
    </>
  )
}

type Call = Documents['ExplainedRun']['calls'][number]
type Effect = Call['effects'][number]
type Released = NonNullable<Effect['released']>

type Teller<B extends Released['by']> = (released: Extract<Released, { by: B }>) => string

const TELLERS: { readonly [B in Released['by']]: Teller<B> } = {
  decision: ({ decided_by, surface, at, reason, override, on_due }) =>
    `${on_due === null ? `${decided_by} released it via ${surface}` : 'Nobody decided in time, and its deadline released it'} at ${clockTime(at)}${reason === null ? '' : `: ${reason}`}${override ? '. This overrode a policy that says never' : ''}.`,
  policy: ({ rule }) => `Policy let it pass: ${rule}.`,
  grant: ({ grant_id, rule }) => `A standing approval let it pass: ${grant_id} (${rule}).`,
  approval: ({ approved }) =>
    approved === null
      ? 'An approval that the agent asked for covers it.'
      : `${approved.decided_by} approved what the agent asked for, and that covers it.`,
  repeat: ({ attempt }) => `It was cut off, and may be repeated without harm: this is attempt ${attempt}.`,
}

/** Why a tool was allowed to run, as a sentence. */
function releasedText({ released, copied, imported }: Effect): string {
  if (copied) return 'It ran in the thread that this one was forked from.'
  if (imported !== null) return 'It ran in another store, and is on record there.'
  if (released === null) return 'Nothing on record released it.'
  return (TELLERS[released.by] as (by: Released) => string)(released)
}
