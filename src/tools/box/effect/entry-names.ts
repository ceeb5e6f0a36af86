/** Names of files as the system has them: bytes. */
import { isUtf8 } from 'node:buffer'
import { readdirSync } from 'node:fs'
import { ToolError } from '../../../core/errors.ts'

/** A character for each byte, so that no two names look alike. Empty if there is no such directory. */
export function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory, 'latin1')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw thrown
  }
}

/** @throws ToolError EFFECT_UNREADABLE for bytes that are no text: people could not see what they decide about */
export function nameOf(entry: string): string {
  const bytes = Buffer.from(entry, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new ToolError(
    'EFFECT_UNREADABLE',
    `The command creates or deletes a file whose name is no UTF-8 (${JSON.stringify(entry)}), so nothing was kept.`,
  )
}
