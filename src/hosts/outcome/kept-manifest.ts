import { messageOf } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Io } from '../process/io.ts'
import { removeManifest, writeManifest } from './manifest.ts'
import type { OutcomeDocument, PausedDocument } from './outcome-document.ts'

/** Keeps the manifests of one run true while this process works on it (docs/design/command-line.md#the-manifest-of-a-pause). */
export class KeptManifest {
  readonly #io: Io
  readonly #directory: string
  readonly #directories: Set<string>
  readonly #leaves: boolean
  #moved = false

  /** Manifests go below `directory`. A run that is a task has none: its task tells of the pause. */
  constructor(io: Io, directory: string, { leaves = true }: { readonly leaves?: boolean | undefined } = {}) {
    this.#io = io
    this.#leaves = leaves
    this.#directory = directory
    this.#directories = new Set([directory])
  }

  /** The directory of an earlier process's manifest, if it differs. */
  toldAt(directory: string): void {
    this.#directories.add(directory)
  }

  /** If a run moves again, its pause was decided. */
  hear(event: JournalEvent | Ephemeral): void {
    if (this.#moved || !MOVES.includes(event.kind)) return
    this.#moved = true
    this.takeBack(event.run_id)
  }

  report(document: OutcomeDocument): void {
    if (document.outcome === 'paused') this.#leave(document)
    else if (document.run_id !== null && isOver(document)) this.takeBack(document.run_id)
  }

  #leave(document: PausedDocument): void {
    if (this.#leaves) this.#try(() => writeManifest(this.#directory, document))
  }

  /** Removes the manifests of a pause that is over. */
  takeBack(runId: string): void {
    for (const place of this.#directories) this.#try(() => removeManifest(place, runId))
  }

  /** A pause counts even if its manifest cannot be written: the store and the exit code tell of it. */
  #try(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#io.err(`holdpoint: warning: the manifest of the pause could not be kept up: ${messageOf(thrown)}\n`)
    }
  }
}

const MOVES: readonly string[] = ['call.started', 'call.finished', 'model.answered', 'run.finished']

/** Of a refusal or a failure of this process nothing is known, so the manifest of the pause stays. */
function isOver(document: OutcomeDocument): boolean {
  return 'termination' in document || document.outcome === 'interrupted'
}
