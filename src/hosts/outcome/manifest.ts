import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { jsonLine } from '../../core/text/visible-text.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Io } from '../process/io.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import { makeProjectDirectory, projectDirectory } from '../project/project.ts'
import type { OutcomeDocument, PausedDocument } from './outcome-document.ts'

const LATEST = 'pause.json'

function sessionDirectory(directory: string): string {
  return join(projectDirectory(directory), 'session')
}

/**
 * Writes a file for each run, so that two agents that pause in one directory lose neither, and one for the latest
 * pause.
 */
function writeManifest(directory: string, document: PausedDocument): void {
  makeProjectDirectory(directory)
  const session = sessionDirectory(directory)
  const pauses = join(session, 'pauses')
  makePrivateDirectory(session)
  makePrivateDirectory(pauses)
  const text = jsonLine(document)
  replaceFile(join(pauses, `${document.run_id}.json`), text)
  replaceFile(join(session, LATEST), text)
}

/** Removes the manifest of a pause that is over. A file of another run is kept. */
export function removeManifest(directory: string, runId: string): void {
  const session = sessionDirectory(directory)
  rmSync(join(session, 'pauses', `${runId}.json`), { force: true })
  if (runOf(join(session, LATEST)) === runId) rmSync(join(session, LATEST), { force: true })
}

/** The runs whose pauses have a manifest. */
export function pausesToldIn(directory: string): string[] {
  const session = sessionDirectory(directory)
  const latest = runOf(join(session, LATEST))
  const runs = filesIn(join(session, 'pauses'))
    .filter(file => file.endsWith('.json'))
    .map(file => basename(file, '.json'))
  return [...new Set(typeof latest === 'string' ? [latest, ...runs] : runs)]
}

function filesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    // No folder, or not one of ours.
    return []
  }
}

function runOf(path: string): unknown {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { run_id?: unknown }).run_id
  } catch {
    // No file, or not one of ours: nothing to take back.
    return null
  }
}

/** Readers see the old file or the new one, never half of one, even after a crash. */
function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
}

/** Keeps the manifests of one run true while this process works on it (docs/design/command-line.md#the-manifest-of-a-pause). */
export class KeptManifest {
  readonly #io: Io
  readonly #directory: string
  readonly #directories: Set<string>
  readonly #leaves: boolean
  #moved = false

  /** Manifests are written below `directory`. A run that is a task has none: its task reports the pause. */
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

  /** A pause counts even if its manifest cannot be written: the store and the exit code report it. */
  #try(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#io.err(`holdpoint: warning: the manifest of the pause could not be kept up: ${messageOf(thrown)}\n`)
    }
  }
}

const MOVES: readonly string[] = ['call.started', 'call.finished', 'model.answered', 'run.finished']

/** A refusal or a failure of this process proves nothing about the run, so its manifest is kept. */
function isOver(document: OutcomeDocument): boolean {
  return 'termination' in document || document.outcome === 'interrupted'
}
