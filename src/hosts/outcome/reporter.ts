import type { JournalEvent } from '../../core/journal/event.ts'
import { jsonLine } from '../../core/text/json-line.ts'
import { visibleProse } from '../../core/text/visible-text.ts'
import type { Ephemeral, EventSink } from '../../ports/event-sink.ts'
import type { Io } from '../process/io.ts'
import { KeptManifest } from './kept-manifest.ts'
import type { OutcomeDocument } from './outcome-document.ts'
import type { OutputFormat } from './output-format.ts'
import { progressLine } from './progress.ts'
import { textError, textReport, textWarning } from './text-report.ts'
import { UnaskedCalls } from './unasked-calls.ts'

/** Tells of one invocation: its events while it lasts, and what became of it. */
export interface Reporter {
  readonly tell: EventSink
  /** Only the first one counts: stdout has one document. */
  report(document: OutcomeDocument): void
  /** The directory of an earlier process's manifest, if it differs. */
  toldAt(directory: string): void
  /** Takes back what tells of a pause of a run that is over. */
  tidy(runId: string): void
}

export interface ReporterOptions {
  readonly format: OutputFormat
  readonly io: Io
  readonly verbose: boolean
  /** The parent of `.holdpoint/`. */
  readonly directory: string
  /** Whether files tell of its pause. Default: true. */
  readonly leavesManifest?: boolean
}

type Style = Pick<Reporter, 'tell'> & { readonly document: (document: OutcomeDocument) => void }

/** A line of `-o stream-json`: an event, and at the end the outcome. */
export type StreamLine =
  | ((JournalEvent | Ephemeral) & {
      /** The same as `thread_id`. */
      readonly session_id: string
    })
  | ({ readonly kind: 'outcome' } & OutcomeDocument)

const STYLES: Record<OutputFormat, (io: Io) => Style> = {
  json: io => ({ tell: () => {}, document: document => io.out(jsonLine(document)) }),
  'stream-json': io => ({
    tell: event => io.out(jsonLine({ session_id: event.thread_id, ...event } satisfies StreamLine)),
    document: document => io.out(jsonLine({ kind: 'outcome', ...document } satisfies StreamLine)),
  }),
  text: io => (io.isTerminal ? streamingText(io) : wholeText(io)),
}

export function openReporter({ format, io, verbose, directory, leavesManifest }: ReporterOptions): Reporter {
  const style = STYLES[format](io)
  const manifest = new KeptManifest(io, directory, { leaves: leavesManifest })
  const unasked = new UnaskedCalls()
  let isReported = false
  return {
    tell: event => {
      manifest.hear(event)
      style.tell(event)
      const warning = unasked.hear(event)
      if (warning && format === 'text') io.err(textWarning(warning))
      const line = verbose ? progressLine(event) : null
      if (line !== null) io.err(`${line}\n`)
    },
    report: document => {
      if (isReported) return
      isReported = true
      const told = { ...document, ...unasked.warnings() }
      manifest.report(told)
      style.document(told)
    },
    toldAt: place => manifest.toldAt(place),
    tidy: runId => manifest.takeBack(runId),
  }
}

function wholeText(io: Io): Style {
  return {
    tell: () => {},
    document: document => {
      io.out(textReport(document))
      io.err(textError(document))
    },
  }
}

const LAST_HALF = /([\ud800-\udbff]$)/

/**
 * A person at a terminal reads the text while it arrives, and then only what was not said yet. P9: no text of the model
 * moves or hides what stands there.
 */
function streamingText(io: Io): Style {
  let midLine = false
  let half = ''
  const endLine = () => {
    say(half)
    half = ''
    if (midLine) io.out('\n')
    midLine = false
  }
  const say = (text: string) => {
    if (text === '') return
    io.out(visibleProse(text))
    midLine = !text.endsWith('\n')
  }
  return {
    tell: event => {
      if (event.kind === 'text.delta') {
        // A character may come in two halves.
        const [whole = '', rest = ''] = (half + event.data.delta).split(LAST_HALF)
        half = rest
        say(whole)
      } else if (event.kind === 'model.answered' || event.kind === 'inference.void') endLine()
    },
    document: document => {
      endLine()
      if (document.outcome === 'paused') io.out(textReport(document))
      io.err(textError(document))
    },
  }
}
