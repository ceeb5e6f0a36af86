/** The files that `init` and `new` write, and what they tell of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import { makeDirectories } from '../../../core/make-directories.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { agentFileRefusals } from '../../refusals/agent-file-refusals.ts'

/** The result of setting up a directory. */
export interface SetupDocument {
  readonly outcome: 'initialized'
  /** The `.holdpoint/`, or the directory of a new project. */
  readonly directory: string
  /** A file that was there before was kept as it was. */
  readonly files: readonly { readonly path: string; readonly status: 'written' | 'kept' }[]
  /** The next command, to be pasted into a shell. */
  readonly next: string
}

export interface StarterFile {
  /** Below the directory that is set up. */
  readonly path: string
  readonly text: string
  readonly about: string
}

interface FoundFile extends StarterFile {
  readonly status: 'written' | 'kept'
}

/** A directory that is set up. */
export interface Setup {
  readonly directory: string
  readonly files: readonly FoundFile[]
  readonly next: string
}

export function setupDocument({ directory, files, next }: Setup): SetupDocument {
  const found = files.map(({ path, status }) => ({ path: join(directory, path), status }))
  return { outcome: 'initialized', directory, files: found, next }
}

/** The directory, with a line for each file. */
export function setupText({ directory, files }: Setup): string {
  const width = Math.max(...files.map(({ path }) => path.length))
  const lines = files.map(({ path, status, about }) => `  ${status.padEnd(7)}  ${path.padEnd(width)}  ${about}`)
  return `${visibleLine(directory)}:\n${lines.join('\n')}\n`
}

/** Never writes over a file. @throws RefusedError `unusable_directory` */
export function keepFile(within: string, file: StarterFile, mode = 0o600): FoundFile {
  const path = join(within, file.path)
  try {
    makeDirectories(dirname(path), each => mkdirSync(each, { mode: mode | 0o100 }))
    writeFileSync(path, file.text, { flag: 'wx', mode })
    return { ...file, status: 'written' }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return { ...file, status: 'kept' }
    throw agentFileRefusals.notWritten(path, messageOf(thrown), thrown)
  }
}
