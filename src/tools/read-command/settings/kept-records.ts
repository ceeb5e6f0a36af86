import { existsSync, readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'

/** Endings of what is kept there, and the names of its files and folders. */
const KEPT = ['.json', '.jsonc', '.db', '.db-wal', '.db-shm', '.gitignore', '.sock', '.lock']
const FILES = /^(policy|config|holdpoint|grants|agents|plugins|trust)\b/i
const FOLDERS = /^\.?(holdpoint|agents|session|pauses|inputs|worktrees|tasks)$/i

/** Agents may be modules or texts, and more may lie there: endings and names of all that does count. */
export function keptIn(records: string): readonly string[] {
  try {
    const agents = existsSync(join(records, 'agents')) ? readdirSync(join(records, 'agents'), { recursive: true }) : []
    const names = [...readdirSync(records), ...agents.slice(0, MOST_FILES).map(String)]
    const found = names.flatMap(file => [extname(file), `/${basename(file)}`]).filter(each => each !== '')
    return [...new Set([...KEPT, ...found.map(each => each.toLowerCase())])]
  } catch {
    return KEPT
  }
}

const MOST_FILES = 5000

/** True if no file of Holdpoint's own has a name that the pattern covers. `kept`: endings, and names behind a slash. */
export function cannotName(pattern: string | undefined, kept: readonly string[]): boolean {
  if (pattern === undefined || /[?[{\\$`]/.test(pattern)) return false
  const tail = pattern.slice(pattern.lastIndexOf('*') + 1).toLowerCase()
  if (!pattern.includes('*')) return !FOLDERS.test(tail) && !FILES.test(tail) && !kept.includes(`/${basename(tail)}`)
  return !kept.some(ending => ending.endsWith(tail) || (!ending.startsWith('/') && tail.endsWith(ending)))
}
