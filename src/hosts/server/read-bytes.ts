import { readFileSync } from 'node:fs'
import { messageOf, RefusedError } from '../../core/errors.ts'

/** @throws RefusedError `unreadable_file` */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new RefusedError('unreadable_file', `${path} cannot be read: ${messageOf(cause)}.`, {
      hint: 'Name a file that this user can read.',
      cause,
    })
  }
}
