import type { EventSink } from '../../ports/event-sink.ts'
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

const STYLES: Record<OutputFormat, (io: Io) => Style> = {
  json: io => ({ tell: () => {}, document: document => io.out(`${JSON.stringify(document)}\n`) }),
  'stream-json': io => ({
    tell: event => io.out(`${JSON.stringify(event)}\n`),
    document: document => io.out(`${JSON.stringify({ kind: 'outcome', ...document })}\n`),
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

/** A person at a terminal reads the text while it arrives, and then only what was not said yet. */
function streamingText(io: Io): Style {
  let midLine = false
  const endLine = () => {
    if (midLine) io.out('\n')
    midLine = false
  }
  return {
    tell: event => {
      if (event.kind === 'text.delta') {
        io.out(event.data.delta)
        midLine = !event.data.delta.endsWith('\n')
      } else if (event.kind === 'model.answered' || event.kind === 'inference.void') endLine()
    },
    document: document => {
      endLine()
      if (document.outcome === 'paused') io.out(textReport(document))
      io.err(textError(document))
    },
  }
}
