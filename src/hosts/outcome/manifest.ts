import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { jsonLine } from '../../core/text/json-line.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import { makeProjectDirectory, projectDirectory } from '../project/project.ts'
import type { PausedDocument } from './outcome-document.ts'

const LATEST = 'pause.json'

function sessionDirectory(directory: string): string {
  return join(projectDirectory(directory), 'session')
}

/** One file for each run, so that two agents that pause in one directory lose neither, and one for the latest pause. */
export function writeManifest(directory: string, document: PausedDocument): void {
  makeProjectDirectory(directory)
  const session = sessionDirectory(directory)
  const pauses = join(session, 'pauses')
  makePrivateDirectory(session)
  makePrivateDirectory(pauses)
  const text = jsonLine(document)
  replaceFile(join(pauses, `${document.run_id}.json`), text)
  replaceFile(join(session, LATEST), text)
}

/** Takes back what tells of a pause that is over. A file that tells of another run stays. */
export function removeManifest(directory: string, runId: string): void {
  const session = sessionDirectory(directory)
  rmSync(join(session, 'pauses', `${runId}.json`), { force: true })
  if (runOf(join(session, LATEST)) === runId) rmSync(join(session, LATEST), { force: true })
}

/** The runs of whose pauses files tell. */
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
