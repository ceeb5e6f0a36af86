/** How a run is told of: as JSON, as a report at its end, as lines on stderr, or as it happens in a terminal. */
import type { JournalEvent } from '../../core/journal/event.ts'
import { modelName } from '../../core/run/profile.ts'
import { jsonLine } from '../../core/text/json-line.ts'
import type { Ephemeral, EventSink } from '../../ports/event-sink.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { PLAIN } from '../display/colours.ts'
import { Activity } from '../display/run/activity.ts'
import { eventLine } from '../display/run/event-lines.ts'
import { LiveRun } from '../display/run/live-run.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'
import type { OutcomeDocument } from './outcome-document.ts'
import type { OutputFormat } from './output-format.ts'
import { pauseLines, type ShownPause } from './pause-lines.ts'
import { endReport, textError, textReport, waysOn } from './text-report.ts'

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
      /** The same as `thread_id`. */
      readonly session_id: string
    })
  | ({ readonly kind: 'outcome' } & OutcomeDocument)

export interface ReportStyle {
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
  const style = PLAIN_STYLES[format](io)
  if (verbose) return withLines(style, options, 'verbose')
  return format === 'text' && io.isErrTerminal && !quiet ? withLines(style, options, 'alone') : style
}

const nothing = () => {}
const SILENT = { tell: nothing, warn: nothing, knows: nothing, begins: nothing, rests: nothing, pause: nothing }

const PLAIN_STYLES: Record<StyleOptions['format'], (io: Io) => ReportStyle> = {
  json: io => ({ ...SILENT, document: document => io.out(jsonLine(document)) }),
  'stream-json': io => ({
    ...SILENT,
    tell: event => io.out(jsonLine({ session_id: event.thread_id, ...event } satisfies StreamLine)),
    document: document => io.out(jsonLine({ kind: 'outcome', ...document } satisfies StreamLine)),
  }),
  text: io => {
    // A pause that stands there in full is not shown again.
    let asked: string | null = null
    return {
      ...SILENT,
      warn: io.err,
      pause: pause => {
        asked = pause.checkpoint_id
        io.out(`${pauseLines(pause).join('\n')}\n`)
      },
      document: document => {
        const isShown = document.outcome === 'paused' && document.checkpoint_id === asked
        io.out(isShown ? waysOn(document) : textReport(document))
        io.err(textError(document, io))
      },
    }
  },
}

/** Columns of a log: no terminal cuts it. */
const LOG_WIDTH = 200

/** One line for each event on stderr. */
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

/** In a terminal a person sees it happen, and at the end only what was not said yet. */
function liveText({ io, env, verbose }: StyleOptions): ReportStyle {
  const activity = new Activity()
  const began = systemClock.now()
  const live = new LiveRun({ io, env, activity, verbose })
  let [said, asked]: [string, string | null] = ['', null]
  return {
    knows: run => knowRun(activity, run),
    tell: event => {
      live.hear(event)
      activity.hear(event)
      if (event.kind === 'model.answered') said = event.data.text
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
      live.tell(`${pauseLines(unsaid(pause, said)).join('\n')}\n`)
    },
    document: (document, goOn) => {
      if (document.outcome === 'paused')
        live.tell(document.checkpoint_id === asked ? waysOn(document) : textReport(unsaid(document, said)))
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

function unsaid<P extends ShownPause>(pause: P, said: string): P {
  return said !== '' && pause.agent_message === said ? { ...pause, agent_message: '' } : pause
}
