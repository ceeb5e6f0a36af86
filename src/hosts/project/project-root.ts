import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The nearest directory with a `.holdpoint/`, from this one upwards, as git looks for `.git`; this one if there is none.
 * One above that belongs to another user does not count: its settings could start programs.
 */
export function projectRoot(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (hasOwnProject(at, at === directory)) return at
    if (dirname(at) === at) return directory
  }
}

function hasOwnProject(directory: string, isHere: boolean): boolean {
  try {
    const stats = statSync(join(directory, '.holdpoint'), { throwIfNoEntry: false })
    return stats?.isDirectory() === true && (isHere || stats.uid === process.getuid?.())
  } catch {
    // A directory that may not be looked into is none of ours.
    return false
  }
}
