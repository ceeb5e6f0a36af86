import type { RefusedError } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { passedOver } from '../../core/policy/asked-nobody.ts'
import type { RunWarning } from '../../core/run/warnings/run-warning.ts'
import type { Ephemeral, EventSink } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { fitsScreen } from '../display/screen.ts'
import type { Io } from '../process/io.ts'
import { recordShown } from '../project/record-shown.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { KeptManifest } from './manifest.ts'
import type { OutcomeDocument } from './outcome-document.ts'
import { pauseText } from './pause-lines.ts'
import { type AskedPause, type KnownRun, type StyleOptions, styleFor, textWarning } from './report-style.ts'

/** Reports one invocation: its events and its outcome. */
export interface Reporter {
  readonly tell: EventSink
  /** Writes at once what a person should know before the run begins. */
  warn(warnings: readonly RunWarning[]): void
  /** A run that an earlier process began. */
  knows(run: KnownRun): void
  /** Shows that something runs until `work` is done. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Shows a pause in full, about which a person is asked right away. */
  pause(pause: AskedPause): void
  /**
   * Only the first one counts: stdout has one document. `goOn` is the command that resumes the run; `null` if none can.
   */
  report(document: OutcomeDocument, goOn?: string | null): void
  /** The directory of an earlier process's manifest, if it differs. */
  toldAt(directory: string): void
  /** Removes the manifest of a run that is over. */
  tidy(runId: string): void
}

interface ReporterOptions extends StyleOptions {
  /** The parent of `.holdpoint/`. */
  readonly directory: string
  /** Whether a pause leaves a manifest. Default: true. */
  readonly leavesManifest?: boolean
}

export function openReporter(options: ReporterOptions): Reporter {
  const { format, io, directory, leavesManifest } = options
  const style = styleFor(options)
  const manifest = new KeptManifest(io, directory, { leaves: leavesManifest })
  const unasked = new UnaskedCalls()
  const told: RunWarning[] = []
  let isReported = false
  const show = (warnings: readonly RunWarning[]) => {
    if (format === 'text') for (const warning of warnings) style.warn(textWarning(warning, io))
  }
  return {
    tell: event => {
      manifest.hear(event)
      style.tell(event)
      const warning = unasked.hear(event)
      if (warning) show([warning])
    },
    warn: warnings => {
      told.push(...warnings)
      show(warnings)
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
      const ofRun = document.warnings ?? []
      const warnings = [...told, ...unasked.warnings(), ...ofRun]
      const whole = warnings.length === 0 ? document : { ...document, warnings }
      manifest.report(whole)
      show(ofRun)
      style.document(whole, goOn)
    },
    toldAt: place => manifest.toldAt(place),
    tidy: runId => manifest.takeBack(runId),
  }
}

/** The rules by which a person would have been asked, if the run paused for approval. */
class UnaskedCalls {
  readonly #rules = new Set<string>()
  #calls = 0

  /** The warning, if this is the first such call. */
  hear(event: JournalEvent | Ephemeral): RunWarning | null {
    const rule = event.kind === 'call.gated' ? passedOver(event.data.rule) : null
    if (rule === null) return null
    this.#calls += 1
    this.#rules.add(rule)
    return this.#calls === 1 ? this.#warning() : null
  }

  warnings(): readonly RunWarning[] {
    return this.#calls === 0 ? [] : [this.#warning()]
  }

  #warning(): RunWarning {
    return {
      ...{ code: 'nobody_asked', calls: this.#calls, rules: [...this.#rules] },
      message: `Nobody was asked about ${[...this.#rules].join(', ')}: this run does not pause for approval.`,
      hint: 'To be asked, start it with --pause-on approval. `holdpoint init` makes a project that asks, or refuses.',
    }
  }
}

interface Showing {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** P10: records who is about to be shown this pause. Of one that is longer than the screen, the beginning is not seen. */
export function recordPause(holdpoint: Pick<Holdpoint, 'audit'>, view: RunView, { env, io }: Showing): Promise<void> {
  return recordShown(holdpoint, view.holds, { env, io, inFull: fitsScreen(pauseText(view), io) })
}

export interface Busy {
  /** The process that advances the run. */
  readonly owner: string
  /** The owner renews its lease by then, ISO time. */
  readonly until: string
}

export function busyRun({ owner, until }: Busy): RefusedError {
  const who = `Another process (${busyWords({ owner, until })})`
  return argumentRefusals.busy(who, owner, until)
}

export function busyWords({ owner, until }: Busy): string {
  return `${owner}, until ${until.slice(11, 19)} UTC or longer`
}
