/** The directories of one boxed call: what it wrote, and what is known of it. */
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDirectories } from '../../../core/make-directories.ts'

export interface CallPlace {
  /** The directory of the call. */
  readonly root: string
  /** A link to the directory of the command, so that mounts name no path. */
  readonly lower: string
  /** What the command wrote. */
  readonly upper: string
  readonly work: string
  /** Where both are seen as one. */
  readonly view: string
  /** What is known of its trial, as JSON. */
  readonly trial: string
  /** What is to be done for its commit, as JSON; there is none before a commit begins. */
  readonly intent: string
  /** Written once every rename of the commit is done. */
  readonly committed: string
  /** New contents before they are renamed to their places. */
  readonly staged: string
  /** What was replaced or deleted. */
  readonly replaced: string
}

export function callPlace(boxes: string, idempotencyKey: string): CallPlace {
  const root = join(boxes, createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32))
  return {
    root,
    lower: join(root, 'lower'),
    upper: join(root, 'upper'),
    work: join(root, 'work'),
    view: join(root, 'view'),
    trial: join(root, 'trial.json'),
    intent: join(root, 'commit.json'),
    committed: join(root, 'committed.json'),
    staged: join(root, 'staged'),
    replaced: join(root, 'replaced'),
  }
}

/** Throws an earlier trial away. */
export async function freshPlace(place: CallPlace, workdir: string): Promise<void> {
  await removeAll(place.root)
  makeOwn(place.root)
  for (const directory of [place.upper, place.work, place.view]) mkdirSync(directory)
  symlinkSync(workdir, place.lower)
}

/** What a command wrote may be closed to its own owner. */
export async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await openAll(path)
    await rm(path, { recursive: true, force: true, maxRetries: 2 })
  }
}

async function openAll(path: string): Promise<void> {
  await chmod(path, 0o700)
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openAll(join(path, entry.name))
}

/** The `/tmp` and the home that the commands of one run share. No path of the store is in its name. */
export interface RunSpace {
  /** The directory of all runs of this user. */
  readonly all: string
  readonly tmp: string
  readonly home: string
  /** A file that nobody may open: it covers what no command sees. */
  readonly closedFile: string
  /** For the sockets of proxies, a directory for each. */
  readonly sockets: string
}

export function runSpace(runId: string): RunSpace {
  const id = createHash('sha256').update(runId).digest('hex').slice(0, 32)
  const all = join(tmpdir(), `holdpoint-boxes-${process.getuid?.() ?? 0}`)
  ownDirectory(all)
  const root = join(all, id)
  const space = {
    all,
    tmp: join(root, 'tmp'),
    home: join(root, 'home'),
    closedFile: join(root, 'closed'),
    sockets: join(root, 's'),
  }
  makeOwn(space.tmp)
  makeOwn(space.home)
  makeOwn(space.sockets)
  return space
}

function makeOwn(path: string): void {
  makeDirectories(path, each => mkdirSync(each, { mode: 0o700 }))
}

/** Makes it, closed to others. @throws if it is a link, or belongs to somebody else */
export function ownDirectory(path: string): void {
  makeOwn(path)
  const stats = lstatSync(path)
  if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid))
    throw new Error(`${path} belongs to somebody else`)
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700)
}
