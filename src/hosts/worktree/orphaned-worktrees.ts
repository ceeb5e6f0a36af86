import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { ignoreWithin, makePrivateDirectory } from '../process/private-directory.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'

/**
 * P1: a sibling of `.holdpoint/`, because writing in that always needs a person. An agent may write in its worktree.
 */
const HOME = '.holdpoint-worktrees'

/** The directory for worktrees of agents. */
export function homeOfWorktrees(root: string): string {
  return join(root, HOME)
}

/** Git does not see what is in it. @throws RefusedError `unusable_directory` */
export function makeHomeOfWorktrees(root: string): string {
  const home = homeOfWorktrees(root)
  try {
    makePrivateDirectory(home)
    ignoreWithin(home, '*\n')
  } catch (cause) {
    throw agentFileRefusals.unusableDirectory(home, messageOf(cause), cause)
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
