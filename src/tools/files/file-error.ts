import { messageOf, ToolError } from '../../core/errors.ts'

type Told = readonly [code: string, what: string]

const KNOWN: Readonly<Record<string, Told>> = {
  ENOENT: ['FILE_NOT_FOUND', 'does not exist'],
  EACCES: ['ACCESS_DENIED', 'may not be used by this user'],
  EPERM: ['ACCESS_DENIED', 'may not be used by this user'],
  EROFS: ['ACCESS_DENIED', 'is on a file system that cannot be written'],
  EISDIR: ['NOT_A_FILE', 'is a directory'],
  EEXIST: ['NOT_A_DIRECTORY', 'would need a directory where there is a file'],
  ENOTDIR: ['NOT_A_DIRECTORY', 'has a file where a directory would have to be'],
  ELOOP: ['SYMLINK_LOOP', 'leads through symbolic links that never end'],
  ENAMETOOLONG: ['INVALID_PATH', 'is too long'],
  ENOSPC: ['DISK_FULL', 'cannot be written because the disk is full'],
}

/** An error about a path, for a model to act on. */
export function fileError(path: string, thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? ''
  const [name, what] = (Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined) ?? ['FILE_ERROR', messageOf(thrown)]
  return new ToolError(name, `${JSON.stringify(path)} ${what}.`, { cause: thrown })
}

/** Runs `work`, and reports its failure as a failure of `path`. */
export async function onPath<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw fileError(path, thrown)
  }
}
