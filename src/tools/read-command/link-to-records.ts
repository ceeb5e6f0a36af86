import { realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { PROTECTED } from './mentions-protected.ts'

/** Characters between words, in any meaning that a shell gives them. */
const BETWEEN = /[\s'"`;|&<>(){}$=,:]+/
/** No command that a person could judge has more. */
const MOST_WORDS = 2000

/**
 * The word of a command that leads to Holdpoint's records by links as they are now; `null` if none does. Words are
 * taken as they stand, so it costs a few looks at the file system, and no parser.
 */
export function linkToRecords(command: string, workdir: string): string | null {
  const records = real(join(workdir, PROTECTED))
  const words = new Set(command.split(BETWEEN))
  words.delete('')
  const leads = (word: string) => isWithin(resolve(workdir, word), records)
  return [...words].find((word, at) => at >= MOST_WORDS || leads(word)) ?? null
}

function isWithin(path: string, records: string | null): boolean {
  // A path that does not exist yet may be made inside its parent.
  const found = real(path) ?? real(resolve(path, '..'))
  if (found === null) return false
  const isBelow = records !== null && (found === records || found.startsWith(records + sep))
  return isBelow || found.split(sep).includes(PROTECTED)
}

function real(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
