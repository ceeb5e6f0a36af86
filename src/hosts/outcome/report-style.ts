/** The ways to report a run: as JSON, as a report at its end, as lines on stderr, or as it happens in a terminal. */

import type { JournalEvent } from '../../core/journal/event.ts'
import { modelName } from '../../core/run/profile.ts'
import { costText } from '../../core/run/usage/money.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import { jsonLine } from '../../core/text/visible-text.ts'
import type { Ephemeral, EventSink } from '../../ports/event-sink.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { shortTime } from '../display/ago.ts'
import { errColumnsOf, hung } from '../display/hung.ts'
import { Activity } from '../display/run/activity.ts'
import { eventLine } from '../display/run/event-lines.ts'
import { LiveRun } from '../display/run/live-run.ts'
import { type Paint, PLAIN, paintFor } from '../display/screen.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import type { OutcomeDocument, OutputFormat, PausedDocument } from './outcome-document.ts'
import { further, pauseLines, type ShownPause } from './pause-lines.ts'

export interface StyleOptions {
  readonly format: OutputFormat
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly verbose: boolean
  /** Shows nothing of what happens, only what came of it. */
  readonly quiet?: boolean
}

export type KnownRun = Pick<RunView, 'calls' | 'profile'>

/** A pause about which a person is asked right away. */
export type AskedPause = ShownPause & { readonly checkpoint_id: string | null }

/** A line of `-o stream-json`: an event, and at the end the outcome. */
export type StreamLine =
  | ((JournalEvent | Ephemeral) & {
      /** Equal to `thread_id`. */
      readonly session_id: string
    })
  | ({ readonly kind: 'outcome' } & OutcomeDocument)

interface ReportStyle {
  readonly tell: EventSink
  readonly warn: (text: string) => void
  readonly knows: (run: KnownRun) => void
  readonly begins: () => void
  readonly rests: () => void
  readonly pause: (pause: AskedPause) => void
  readonly document: (document: OutcomeDocument, goOn: string | null) => void
}

export function styleFor(options: StyleOptions): ReportStyle {
  const { format, io, verbose, quiet = false } = options
  if (format === 'text' && io.isTerminal && !quiet) return liveText(options)
  const style = PLAIN_STYLES[format](options)
  if (verbose) return withLines(style, options, 'verbose')
  return format === 'text' && io.isErrTerminal && !quiet ? withLines(style, options, 'alone') : style
}

const nothing = () => {}
const SILENT = { tell: nothing, warn: nothing, knows: nothing, begins: nothing, rests: nothing, pause: nothing }

const PLAIN_STYLES: Record<StyleOptions['format'], (options: Pick<StyleOptions, 'io' | 'env'>) => ReportStyle> = {
  json: ({ io }) => ({ ...SILENT, document: document => io.out(jsonLine(document)) }),
  'stream-json': ({ io }) => ({
    ...SILENT,
    tell: event => io.out(jsonLine({ session_id: event.thread_id, ...event } satisfies StreamLine)),
    document: document => io.out(jsonLine({ kind: 'outcome', ...document } satisfies StreamLine)),
  }),
  text: ({ io, env }) => {
    const paint = paintFor({ io, env })
    // A pause that is on the screen in full is not shown again.
    let asked: string | null = null
    return {
      ...SILENT,
      warn: io.err,
      pause: pause => {
        asked = pause.checkpoint_id
        io.out(`${pauseLines(pause, paint).join('\n')}\n`)
      },
      document: document => {
        const isShown = document.outcome === 'paused' && document.checkpoint_id === asked
        io.out(isShown ? waysOn(document) : textReport(document, paint))
        io.err(textError(document, io))
      },
    }
  },
}

/** Columns of a log: no terminal cuts it. */
const LOG_WIDTH = 200

/** Writes a line for each event to stderr. */
function withLines(style: ReportStyle, { io, format }: StyleOptions, detail: 'alone' | 'verbose'): ReportStyle {
  const activity = new Activity()
  const began = systemClock.now()
  const width = io.isErrTerminal ? io.width() - 1 : LOG_WIDTH
  return {
    ...style,
    knows: run => knowRun(activity, run),
    tell: event => {
      style.tell(event)
      const line = eventLine(event, { activity, detail, streams: false }, { width, paint: PLAIN })
      activity.hear(event)
      if (line !== null) io.err(`${line}\n`)
    },
    document: (document, goOn) => {
      style.document(document, goOn)
      if (format === 'text') io.err(endReport(document, { ms: systemClock.now() - began, goOn }))
    },
  }
}

/** A person in a terminal sees the run as it happens, and at the end only what is new. */
function liveText({ io, env, verbose }: StyleOptions): ReportStyle {
  const activity = new Activity()
  const began = systemClock.now()
  const live = new LiveRun({ io, env, activity, verbose })
  const paint = paintFor({ env, io })
  let [shown, asked]: [string, string | null] = ['', null]
  return {
    knows: run => knowRun(activity, run),
    tell: event => {
      live.hear(event)
      activity.hear(event)
      if (event.kind === 'model.answered') shown = event.data.text
    },
    warn: text => {
      live.clears()
      io.err(`\n${text}`)
    },
    begins: () => {
      activity.begins(systemClock.now())
      live.begins()
    },
    rests: () => live.rests(),
    pause: pause => {
      asked = pause.checkpoint_id
      live.tell(`${pauseLines(unsaid(pause, shown), paint).join('\n')}\n`)
    },
    document: (document, goOn) => {
      if (document.outcome === 'paused')
        live.tell(document.checkpoint_id === asked ? waysOn(document) : textReport(unsaid(document, shown), paint))
      else live.tell(endReport(document, { ms: systemClock.now() - began, goOn }))
      live[Symbol.dispose]()
      io.err(textError(document, io))
    },
  }
}

function knowRun(activity: Activity, { calls, profile }: KnownRun): void {
  const known = calls.map(({ id, name, final_arguments }) => ({ id, name, arguments: final_arguments }))
  activity.knows(known, modelName(profile))
}

function unsaid<P extends ShownPause>(pause: P, shown: string): P {
  return shown !== '' && pause.agent_message === shown ? { ...pause, agent_message: '' } : pause
}

/** The report on stdout. A final message is passed on as it is; pending calls hide nothing. */
function textReport(document: OutcomeDocument, paint: Paint = PLAIN): string {
  if (document.outcome === 'paused') return pausedReport(document, paint)
  return 'final_message' in document && document.final_message !== '' ? `${document.final_message}\n` : ''
}

type ErrorPlace = Pick<Io, 'isErrTerminal' | 'width'>

/** The report on stderr. */
export function textError(document: OutcomeDocument, io: ErrorPlace): string {
  const error = 'error' in document ? document.error : undefined
  if (!error) return ''
  const hint = error.hint ? `  ${further(error.hint)}\n` : ''
  return hung(`holdpoint: ${document.outcome}: ${further(error.message)}\n${hint}`, errColumnsOf(io))
}

/** A warning for a person during the run, on stderr. */
export function textWarning({ message, hint }: RunWarning, io: ErrorPlace): string {
  return hung(`holdpoint: warning: ${further(message)}\n  ${further(hint)}\n`, errColumnsOf(io))
}

/** The end of a run for a person who saw all of it happen: what it took, its ids, and how to go on. */
function endReport(document: OutcomeDocument, { ms, goOn }: EndFacts): string {
  if (!('steps_taken' in document) || document.outcome === 'paused') return ''
  const { outcome, steps_taken: steps, usage, session_id, run_id } = document
  const took = [
    ...(outcome === 'completed' ? [outcome] : []),
    steps === 1 ? '1 step' : `${steps} steps`,
    `${usage.total_tokens.toLocaleString('en-US')} tokens`,
    ...[costText(usage) ?? []].flat(),
    ...(shortTime(ms) === '' ? [] : [shortTime(ms)]),
  ]
  const next = outcome === 'completed' && goOn !== null ? [`go on: ${goOn} "…"`] : []
  return `${[took.join(' · '), `session ${session_id} · run ${run_id}`, ...next].join('\n')}\n`
}

interface EndFacts {
  /** Milliseconds since this process began. */
  readonly ms: number
  /** The command that resumes the run; `null` if none can. */
  readonly goOn: string | null
}

function pausedReport(document: PausedDocument, paint: Paint): string {
  return `${pauseLines(document, paint).join('\n')}\n${waysOn(document)}`
}

/** The ids of a pause, and the command that resumes it. */
function waysOn({ resume_hint, checkpoint_id, session_id, run_id, due_at }: PausedDocument): string {
  const ids = [`checkpoint  ${checkpoint_id}`, `session     ${session_id}`, `run         ${run_id}`]
  if (due_at !== null) ids.push(`due         ${due_at}`)
  const until = due_at === null ? '' : ` until ${due_at}`
  return `${[...ids, '', `Go on with${until}:`, `  ${resume_hint}`].join('\n')}\n`
}
