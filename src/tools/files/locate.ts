import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolError } from '../../core/errors.ts'
import { onPath } from './file-error.ts'

export interface FileOptions {
  /** Paths may lead out of the working directory. Default: false. */
  readonly allowOutside?: boolean
}

export interface PlaceOptions extends FileOptions {
  /** The real place that policy ruled on. */
  readonly leadsTo?: string | undefined
}

/**
 * The target of a path. The path is read as text first (`a/../b` is `b`), and only then are symbolic links followed.
 */
export interface LocatedPath {
  /** The path as written. */
  readonly raw: string
  /** The path as text: absolute, without `.` and `..`. */
  readonly absolute: string
  /** The real place, existing or not: no part of it is a symbolic link. */
  readonly real: string
  /** `absolute` relative to the working directory, with forward slashes; absolute if it leads outside. */
  readonly shown: string
  /** `real`, shown the same way. It differs from `shown` if links lead elsewhere than the text. */
  readonly shownReal: string
  readonly inside: boolean
}

const MOST_LINKS = 40

/** @throws ToolError if the text is no path, or its links cannot be followed. */
export async function locate(workdir: string, raw: string): Promise<LocatedPath> {
  if (raw === '' || raw.includes('\0')) {
    throw new ToolError('INVALID_PATH', raw === '' ? 'The path is empty.' : 'The path contains a NUL character.')
  }
  const home = await onPath(workdir, () => realpath(workdir))
  const absolute = resolve(workdir, raw)
  const real = await onPath(raw, () => follow(absolute))
  const within = relativeTo(home, real)
  return {
    raw,
    absolute,
    real,
    shown: slashed(relativeTo(workdir, absolute) ?? relativeTo(home, absolute) ?? absolute),
    shownReal: slashed(within ?? real),
    inside: within !== null,
  }
}

/** The place to work at for this path, with every link followed. @throws ToolError PATH_OUTSIDE_WORKDIR. */
export async function reach(
  workdir: string,
  raw: string,
  { allowOutside = false, leadsTo }: PlaceOptions,
): Promise<LocatedPath> {
  const place = await locate(workdir, raw)
  if (leadsTo !== undefined && place.real !== leadsTo) throw leadsElsewhere(raw, place, leadsTo)
  if (place.inside || allowOutside) return place
  throw new ToolError(
    'PATH_OUTSIDE_WORKDIR',
    `${JSON.stringify(raw)} leads to ${place.real}, outside the working directory ${workdir}. Use a path inside it.`,
  )
}

function leadsElsewhere(raw: string, { real }: LocatedPath, leadsTo: string): ToolError {
  return new ToolError(
    'PATH_CHANGED',
    `${JSON.stringify(raw)} leads to ${real} now, and led to ${leadsTo} when the call was let pass. Nothing was done.`,
  )
}

/** Like realpath, for paths whose end need not exist yet. */
async function follow(path: string, links = 0): Promise<string> {
  if (links > MOST_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
  try {
    return await realpath(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
  }
  const parent = dirname(path)
  if (parent === path) return path
  const realParent = await follow(parent, links)
  const target = await linkTarget(path)
  // A new file is made at the target of a dangling link.
  return target === null ? join(realParent, basename(path)) : follow(resolve(realParent, target), links + 1)
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch {
    return null
  }
}

function relativeTo(directory: string, path: string): string | null {
  const between = relative(directory, path)
  if (between === '') return '.'
  return between === '..' || between.startsWith(`..${sep}`) || isAbsolute(between) ? null : between
}

function slashed(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/')
}
