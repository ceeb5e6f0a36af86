import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ended, type Finished } from '../scenarios/project.ts'

/** A mount of its own, which nobody else sees and which is gone with the shell. */
const APART = ['-rm', 'sh', '-euc']

function mount(kilobytes: number): string {
  return `mkdir disk; mount -t tmpfs -o size=${kilobytes}k none disk;`
}

/** False if this user, or this system, cannot mount anything. */
export const mayMount: boolean = spawnSync('unshare', [...APART, `cd "$(mktemp -d)"; ${mount(64)}`]).status === 0

export const WHY = '(skipped where nothing can be mounted)'

export interface SmallDisk {
  /** Of the file system in `disk`, below the directory. */
  readonly kilobytes: number
  /** Is run there by a shell. */
  readonly script: string
  readonly env?: Readonly<Record<string, string>>
}

/** What the script printed, in a directory with a file system of this size; then `look` looks at the rest of the directory. */
export async function onASmallDisk<T>(
  { kilobytes, script, env }: SmallDisk,
  look: (finished: Finished, directory: string) => T | Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-disk-'))
  try {
    const shell = spawn('unshare', [...APART, `${mount(kilobytes)} ${script}`], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', NODE: process.execPath, ...env },
    })
    return await look(await ended(shell), directory)
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
