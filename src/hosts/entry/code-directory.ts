/** The directory for compiled code: of this user alone, because code that others could write would run as this user. */
import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { makeDirectories } from '../../core/make-directories.ts'

const OTHERS_MAY_WRITE = 0o022

/** Made if it is missing; `null` if no code is to be kept, or no directory is safe. */
export function codeDirectory(env: Readonly<Record<string, string | undefined>>): string | null {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = env
  if (NODE_DISABLE_COMPILE_CACHE) return null
  const directory = NODE_COMPILE_CACHE || usualDirectory(env)
  return directory && (isOwn(directory) || isMade(directory)) ? directory : null
}

/** Nothing is made in the home of another user, as below `sudo`. */
function usualDirectory({ HOME, XDG_CACHE_HOME }: Readonly<Record<string, string | undefined>>): string | null {
  const base = XDG_CACHE_HOME || HOME
  if (!base?.startsWith('/') || !isOwn(base)) return null
  return XDG_CACHE_HOME ? `${base}/holdpoint` : `${base}/.cache/holdpoint`
}

function isMade(directory: string): boolean {
  try {
    makeDirectories(directory, each => mkdirSync(each, { mode: 0o700 }))
    return isOwn(directory)
  } catch {
    return false
  }
}

/** True if it is there, of this user, and not open to changes by others. */
export function isOwn(path: string): boolean {
  const stats = foundAt(path)
  return stats !== undefined && stats.uid === process.getuid?.() && (stats.mode & OTHERS_MAY_WRITE) === 0
}

/** Below a file, or where this user may not look, there is nothing. */
function foundAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
