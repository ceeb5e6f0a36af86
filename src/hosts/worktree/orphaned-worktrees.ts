import { existsSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'

/**
 * P1: beside `.holdpoint/` and not in it, because writing there always needs a person. An agent may write in its worktree.
 */
const HOME = '.holdpoint-worktrees'

/** Where worktrees of agents are kept. */
export function homeOfWorktrees(root: string): string {
  return join(root, HOME)
}

/** Git does not see what is in it. @throws RefusedError `unusable_directory` */
export function makeHomeOfWorktrees(root: string): string {
  const home = homeOfWorktrees(root)
  const ignore = join(home, '.gitignore')
  try {
    makePrivateDirectory(home)
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: 0o600 })
  } catch (cause) {
    throw new RefusedError('unusable_directory', `Worktrees cannot be kept in ${home}: ${messageOf(cause)}.`, {
      hint: 'Make it a directory that may be written, or leave --worktree out.',
      cause,
    })
  }
  return home
}

/** Directories in `home` that no agent works in. They are listed for people, and never deleted by themselves. */
export async function orphanedWorktrees(home: string, inUse: readonly string[]): Promise<readonly string[]> {
  const names = await readdir(home).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return []
    throw thrown
  })
  return names
    .filter(name => name !== '.gitignore')
    .map(name => join(home, name))
    .filter(path => !inUse.includes(path))
}
