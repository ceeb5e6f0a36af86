import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ToolError } from '../../core/errors.ts'

/**
 * Opens a regular file to read. `real` has no links left: one that was put there since is not followed, and what is
 * no regular file (a pipe would wait for a writer for ever) is refused.
 */
export async function openFile(real: string): Promise<FileHandle> {
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile()) return file
  await file.close()
  const kind = stat.isDirectory() ? 'a directory; use list_files to see what is in it' : 'no regular file'
  throw new ToolError('NOT_A_FILE', `${real} is ${kind}.`)
}
