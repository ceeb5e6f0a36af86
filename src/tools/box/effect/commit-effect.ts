/**
 * Carries an effect out, once. All that it replaces is compared first; then an intent is written; then each rename is
 * made. After a crash anywhere the intent says what is left to do, and doing it twice changes nothing.
 */
import { constants, mkdirSync } from 'node:fs'
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type FileChange, isSameState } from '../../../core/effect/effect.ts'
import { ToolError } from '../../../core/errors.ts'
import { makeDirectories } from '../../../core/make-directories.ts'
import type { CallPlace } from '../machine/call-place.ts'
import { entryState } from './read-effect.ts'

export interface Intent {
  readonly workdir: string
  readonly changes: readonly FileChange[]
}

/** The paths whose content is no longer the one on which the effect is based. */
export async function movedSince({ workdir, changes }: Intent): Promise<readonly string[]> {
  const moved: string[] = []
  for (const { path, before } of changes) {
    const isBehindLink = await leadsElsewhere(workdir, path)
    if (isBehindLink || !isSameState(await entryState(join(workdir, path)), before)) moved.push(path)
  }
  return moved
}

/** True if a directory above the path is a link by now. */
async function leadsElsewhere(workdir: string, path: string): Promise<boolean> {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const stats = await lstat(join(workdir, above)).catch(() => null)
    if (stats?.isSymbolicLink()) return true
  }
  return false
}

/** Copies the new contents, and writes down what is to be done. Nothing has happened in the directory before or after. */
export async function prepareCommit(place: CallPlace, intent: Intent): Promise<void> {
  await rm(place.staged, { recursive: true, force: true })
  await rm(place.replaced, { recursive: true, force: true })
  await rm(place.committed, { force: true })
  await mkdir(place.staged)
  await mkdir(place.replaced)
  for (const [index, change] of intent.changes.entries()) await stage(place, change, index)
  await writeDurably(place.intent, JSON.stringify(intent))
}

/** P1: what is carried out is what was ruled on, byte by byte. */
async function stage(place: CallPlace, { path, after }: FileChange, index: number): Promise<void> {
  if (after === null || after.kind === 'directory') return
  const [from, to] = [join(place.upper, path), join(place.staged, String(index))]
  if (after.kind === 'link') await symlink(await readlink(from), to)
  else {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    await chmod(to, after.mode)
  }
  if (isSameState(await entryState(to), after)) return
  throw new ToolError(
    'EFFECT_CHANGED',
    `What the command wrote to ${path} was changed afterwards, so nothing was kept.`,
  )
}

export async function intentOf(place: CallPlace): Promise<Intent | null> {
  const text = await readFile(place.intent, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Intent)
}

/** Makes every rename that is left. @throws ToolError TOOL_CALL_IN_DOUBT if something else changed one of the files since */
export async function completeCommit(place: CallPlace, { workdir, changes }: Intent): Promise<void> {
  if (await exists(place.committed)) return
  for (const { path } of changes) if (await leadsElsewhere(workdir, path)) throw changedMeanwhile(path)
  const numbered = changes.map((change, index) => ({ ...change, index }))
  // What lies in a directory goes before the directory itself.
  for (const each of numbered.filter(({ after }) => after === null).toReversed()) await takeAway(place, workdir, each)
  for (const each of numbered.filter(isDirectoryNow)) await makeDirectory(place, workdir, each)
  for (const each of numbered.filter(isContent)) await putInPlace(place, workdir, each)
  // A mode that closes a directory comes last.
  for (const { path, after } of numbered.filter(isDirectoryNow).toReversed())
    await chmod(join(workdir, path), after?.mode ?? 0o755)
  await writeDurably(place.committed, JSON.stringify({ changes: changes.length }))
}

type Numbered = FileChange & { readonly index: number }

function isDirectoryNow({ after }: FileChange): boolean {
  return after?.kind === 'directory'
}

function isContent({ after }: FileChange): boolean {
  return after !== null && after.kind !== 'directory'
}

async function makeDirectory(place: CallPlace, workdir: string, change: Numbered): Promise<void> {
  const target = await placeFor(workdir, change)
  const now = await entryState(target)
  if (now !== null && now.kind !== 'directory') {
    if (!isSameState(now, change.before)) throw changedMeanwhile(change.path)
    await keepReplaced(place, target, change)
    await rm(target, { force: true })
  }
  makeDirectories(target, each => mkdirSync(each))
  // Until its mode comes, files are put in it.
  await chmod(target, (change.after?.mode ?? 0) | 0o700)
}

/** @throws if a directory above it is a link by now, so that it would be a place elsewhere */
async function placeFor(workdir: string, { path }: FileChange): Promise<string> {
  if (await leadsElsewhere(workdir, path)) throw changedMeanwhile(path)
  return join(workdir, path)
}

async function putInPlace(place: CallPlace, workdir: string, change: Numbered): Promise<void> {
  const target = await placeFor(workdir, change)
  const staged = join(place.staged, String(change.index))
  const now = await entryState(target)
  // It was done before a crash.
  if (isSameState(now, change.after) && !(await exists(staged))) return
  const isAsExpected = isSameState(now, change.before) || isSameState(now, change.after)
  if (!isAsExpected && !(now === null && change.before?.kind === 'directory')) throw changedMeanwhile(change.path)
  await keepReplaced(place, target, change)
  makeDirectories(dirname(target), each => mkdirSync(each))
  if (now?.kind === 'directory') await removeDirectory(target, change.path)
  await move(staged, target, `${basename(place.root)}-${change.index}`)
}

async function takeAway(place: CallPlace, workdir: string, change: Numbered): Promise<void> {
  const target = await placeFor(workdir, change)
  const now = await entryState(target)
  if (now === null) return
  if (!isSameState(now, change.before)) throw changedMeanwhile(change.path)
  if (now.kind === 'directory') return removeDirectory(target, change.path)
  await move(target, join(place.replaced, String(change.index)), 'deleted')
}

async function removeDirectory(target: string, path: string): Promise<void> {
  try {
    await rmdir(target)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw changedMeanwhile(path)
    if (code !== 'ENOENT') throw thrown
  }
}

/** The old content is kept for who wants to undo it. */
async function keepReplaced(place: CallPlace, target: string, { before, index }: Numbered): Promise<void> {
  const kept = join(place.replaced, String(index))
  if (before === null || before.kind === 'directory' || (await exists(kept))) return
  if (before.kind === 'link') return symlink(await readlink(target), kept)
  await link(target, kept).catch(() => copyWhole(target, kept))
}

async function copyWhole(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  await copyFile(from, part, constants.COPYFILE_FICLONE)
  await rename(part, to)
}

/** Between two file systems a copy is made beside the target first, under the same name each time. */
async function move(from: string, to: string, name: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown
    const beside = join(dirname(to), `.holdpoint-${name}`)
    await rm(beside, { force: true })
    const stats = await lstat(from)
    if (stats.isSymbolicLink()) await symlink(await readlink(from), beside)
    else {
      await copyFile(from, beside)
      await chmod(beside, stats.mode & 0o7777)
    }
    await rename(beside, to)
    await rm(from, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null
}

/** Whole, or not there. */
async function writeDurably(path: string, text: string): Promise<void> {
  const part = `${path}.part`
  await writeFile(part, text)
  const file = await open(part, 'r+')
  await file.datasync()
  await file.close()
  await rename(part, path)
}

function changedMeanwhile(path: string): ToolError {
  return new ToolError(
    'TOOL_CALL_IN_DOUBT',
    `A part of its effect was carried out, and then ${path} was changed by something else, so the rest was left undone.`,
  )
}
