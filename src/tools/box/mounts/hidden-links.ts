/** Other names of a hidden file: a hard link leads past every cover. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Hidden } from './hidden.ts'

/** In the directories of boxes lie copies of files that anybody may see. */
const COPIES = 'boxes'

/** Looks through `workdir` only if one of the files has a second name. */
export function hardLinksTo(hidden: readonly Hidden[], workdir: string): readonly Hidden[] {
  const sought = new Set(hidden.flatMap(({ path, kind }) => (kind === 'file' ? named(path) : namedBelow(path))))
  if (sought.size === 0) return []
  const covered = new Set(hidden.map(({ path }) => path))
  return filesBelow(workdir, covered)
    .filter(path => named(path).some(id => sought.has(id)))
    .map(path => ({ path, kind: 'file' as const }))
}

function namedBelow(directory: string): readonly string[] {
  if (basename(directory) === COPIES) return []
  return filesBelow(directory, new Set([join(directory, COPIES)])).flatMap(named)
}

/** The identity of a file with more than one name. */
function named(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() && stats.nlink > 1 ? [`${stats.dev}:${stats.ino}`] : []
}

function filesBelow(directory: string, passedBy: ReadonlySet<string>): readonly string[] {
  const [files, queue]: [string[], string[]] = [[], [directory]]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const [here, entries] = [at, entriesOf(at)]
    const named = (entry: Dirent) => join(here, entry.name)
    queue.push(
      ...entries
        .filter(entry => entry.isDirectory())
        .map(named)
        .filter(path => !passedBy.has(path)),
    )
    files.push(...entries.filter(entry => entry.isFile()).map(named))
  }
  return files.filter(path => !passedBy.has(path))
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}
