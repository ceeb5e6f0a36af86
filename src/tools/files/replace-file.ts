import { mkdirSync } from 'node:fs'
import { access, constants, lstat, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolError } from '../../core/errors.ts'
import { makeDirectories } from '../../core/make-directories.ts'

const PERMISSIONS = 0o7777

/**
 * Gives a file new content in one move: a reader sees all of the old or all of the new, also after a crash. Missing
 * directories are made; an existing file keeps its mode. True if there was no file before.
 */
export async function replaceFile(real: string, content: string): Promise<{ created: boolean }> {
  const directory = dirname(real)
  makeDirectory(directory)
  if ((await realpath(directory)) !== directory) {
    throw new ToolError('PATH_CHANGED', `${directory} was replaced by a link while it was used. Nothing was written.`)
  }
  const mode = await modeOf(real)
  // A short name: the file's own may already be as long as the system allows.
  const temporary = join(directory, `.${crypto.randomUUID()}.tmp`)
  try {
    await writeDurably(temporary, content, mode)
    await rename(temporary, real)
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
  return { created: mode === null }
}

function makeDirectory(directory: string): void {
  try {
    makeDirectories(directory, mkdirSync)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    throw new ToolError('ACCESS_DENIED', `${directory} cannot be made on that file system.`, { cause: thrown })
  }
}

/** `null` if there is no file. A file without write permission is not replaced either. */
async function modeOf(real: string): Promise<number | null> {
  const stat = await lstat(real).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null
    throw thrown
  })
  if (stat === null) return null
  if (!stat.isFile()) {
    throw new ToolError('NOT_A_FILE', `${real} is ${stat.isDirectory() ? 'a directory' : 'no regular file'}.`)
  }
  await access(real, constants.W_OK)
  return stat.mode & PERMISSIONS
}

async function writeDurably(path: string, content: string, mode: number | null): Promise<void> {
  await using file = await open(path, 'wx')
  if (mode !== null) await file.chmod(mode)
  await file.writeFile(content, 'utf8')
  await file.sync()
}

const last = new Map<string, Promise<unknown>>()

/** Work on one path waits for earlier work on it: of two edits of a file in one batch, neither undoes the other. */
export async function oneAtATime<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (last.get(path) ?? Promise.resolve()).then(work, work)
  last.set(path, mine)
  try {
    return await mine
  } finally {
    if (last.get(path) === mine) last.delete(path)
  }
}
