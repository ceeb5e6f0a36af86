/** Looks for links alone, so a command starts without the code that reads command lines. */
import { realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** The folder of Holdpoint's own records, below the directory in which a run works. */
export const PROTECTED = '.holdpoint'

/** Characters between words, in any meaning that a shell gives them. */
const BETWEEN = /[\s'"`;|&<>(){}$=,:]+/
const MOST_WORDS = 2000

/** The word of a command that leads to Holdpoint's records by links as they are now; `null` if none does. */
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
