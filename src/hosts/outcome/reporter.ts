import type { EventSink } from '../../ports/event-sink.ts'
import { KeptManifest } from './kept-manifest.ts'
import type { OutcomeDocument } from './outcome-document.ts'
import { type AskedPause, type KnownRun, type StyleOptions, styleFor } from './report-style.ts'
import { textWarning } from './text-report.ts'
import { UnaskedCalls } from './unasked-calls.ts'

/** Tells of one invocation: its events while it lasts, and what became of it. */
export interface Reporter {
  readonly tell: EventSink
  /** A run that an earlier process began. */
  knows(run: KnownRun): void
  /** Shows that something runs until `work` is done. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Shows a pause in full, about which a person is asked right away. */
  pause(pause: AskedPause): void
  /** Only the first one counts: stdout has one document. `goOn` is the command that goes on; `null` if none can. */
  report(document: OutcomeDocument, goOn?: string | null): void
  /** The directory of an earlier process's manifest, if it differs. */
  toldAt(directory: string): void
  /** Takes back what tells of a pause of a run that is over. */
  tidy(runId: string): void
}

export interface ReporterOptions extends StyleOptions {
  /** The parent of `.holdpoint/`. */
  readonly directory: string
  /** Whether files tell of its pause. Default: true. */
  readonly leavesManifest?: boolean
}

export function openReporter(options: ReporterOptions): Reporter {
  const { format, io, directory, leavesManifest } = options
  const style = styleFor(options)
  const manifest = new KeptManifest(io, directory, { leaves: leavesManifest })
  const unasked = new UnaskedCalls()
  let isReported = false
  return {
    tell: event => {
      manifest.hear(event)
      style.tell(event)
      const warning = unasked.hear(event)
      if (warning && format === 'text') style.warn(textWarning(warning, io))
    },
    knows: style.knows,
    during: async work => {
      style.begins()
      try {
        return await work()
      } finally {
        style.rests()
      }
    },
    pause: style.pause,
    report: (document, goOn = null) => {
      if (isReported) return
      isReported = true
      const told = { ...document, ...unasked.warnings() }
      manifest.report(told)
      style.document(told, goOn)
    },
    toldAt: place => manifest.toldAt(place),
    tidy: runId => manifest.takeBack(runId),
  }
}
