import { type Dirent, promises as files } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Ignore } from 'ignore'
import { ToolError } from '../../core/errors.ts'
import { hiddenIn, isSecretFile } from '../files/secret-file.ts'

/** A file of a project. */
export interface WalkedFile {
  /** Its real place. */
  readonly real: string
  /** Relative to the directory that was asked for, with forward slashes. */
  readonly path: string
}

export interface Walk {
  /** The directory that was asked for. No part of it is a link. */
  readonly real: string
  /** The directory from which files named .gitignore count. */
  readonly workdir: string
  readonly signal: AbortSignal
  /** Globs below the working directory: files that no call reads. */
  readonly never?: readonly string[] | undefined
}

/** Directories that hold no text of the project. One is walked if it is asked for itself. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules'])
const DEEPEST = 64

/** The rules of one .gitignore, for paths relative to its directory. */
interface Rules {
  readonly directory: string
  readonly ignore: Ignore
}

interface Level {
  readonly directory: string
  readonly prefix: string
  readonly rules: readonly Rules[]
  readonly isHidden: (real: string, isDirectory: boolean) => boolean
}

/**
 * The regular files of a project, in code-unit order of their paths: without those that .gitignore names, and without the
 * files that prove to Holdpoint who a caller is. Links are not followed, so the walk ends and stays inside.
 * @throws the error of the file system if the directory itself cannot be read
 */
export async function* walkProject({ real, workdir, signal, never }: Walk): AsyncGenerator<WalkedFile> {
  const rules: Rules[] = []
  for (const directory of directoriesTo(workdir, real)) rules.push(...(await rulesIn(directory)))
  const top = await files.readdir(real, { withFileTypes: true })
  const isHidden = await hiddenIn(workdir, never)
  yield* walk(top, { directory: real, prefix: '', rules, isHidden }, signal)
}

async function* walk(children: readonly Dirent[], level: Level, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  if (signal.aborted) throw new ToolError('TOOL_CALL_INTERRUPTED', 'The search was stopped before it ended.')
  const rules = [...level.rules, ...(level.prefix === '' ? [] : await rulesIn(level.directory))]
  const seen = children.filter(child => !level.isHidden(join(level.directory, child.name), child.isDirectory()))
  for (const child of seen.toSorted(inOrder)) {
    const [real, path] = [join(level.directory, child.name), `${level.prefix}${child.name}`]
    if (isIgnored(rules, real, child)) continue
    if (child.isDirectory()) yield* below({ ...level, directory: real, prefix: `${path}/`, rules }, signal)
    else if (child.isFile() && !isSecretFile(real)) yield { real, path }
  }
}

async function* below(level: Level, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  if (level.prefix.split('/').length > DEEPEST) return
  yield* walk(await childrenOf(level.directory), level, signal)
}

function inOrder(one: Dirent, other: Dirent): number {
  return placed(one) < placed(other) ? -1 : 1
}

function placed(child: Dirent): string {
  return child.isDirectory() ? `${child.name}/` : child.name
}

/** A directory inside that cannot be read has nothing to find. */
async function childrenOf(real: string): Promise<Dirent[]> {
  return files.readdir(real, { withFileTypes: true }).catch(() => [])
}

/** The rule of the deepest directory that speaks of a path counts, as in git. */
function isIgnored(rules: readonly Rules[], real: string, child: Dirent): boolean {
  if (child.isDirectory() && SKIPPED.has(child.name)) return true
  for (const { directory, ignore } of rules.toReversed()) {
    const path = relative(directory, real).replaceAll('\\', '/')
    const { ignored, unignored } = ignore.test(child.isDirectory() ? `${path}/` : path)
    if (ignored || unignored) return ignored
  }
  return false
}

/** From the working directory down to the directory itself; only the latter if it lies elsewhere. */
function directoriesTo(workdir: string, real: string): string[] {
  const between = relative(workdir, real)
  if (between === '' || between.startsWith('..')) return [real]
  return [...directoriesTo(workdir, dirname(real)), real]
}

async function rulesIn(directory: string): Promise<Rules[]> {
  const text = await files.readFile(join(directory, '.gitignore'), 'utf8').catch(() => '')
  if (text === '') return []
  const { default: ignore } = await import('ignore')
  return [{ directory, ignore: ignore().add(text) }]
}
