/** Boxes leave directories behind: what a command wrote while people think, what it replaced, the `/tmp` of its run. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeAll } from './call-place.ts'

/** Nobody undoes what is older, and a command about which people think longer is tried out anew. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

const swept = new Set<string>()

/** Once in a process for each directory. What cannot be removed stays. */
export async function sweep(directories: readonly string[], now = Date.now()): Promise<void> {
  for (const directory of directories) {
    if (swept.has(directory)) continue
    swept.add(directory)
    for (const name of await readdir(directory).catch(() => [])) await removeOld(join(directory, name), now)
  }
}

async function removeOld(path: string, now: number): Promise<void> {
  const stats = await lstat(path).catch(() => null)
  if (stats?.isDirectory() && now - stats.mtimeMs > KEPT_MS) await removeAll(path).catch(() => {})
}
