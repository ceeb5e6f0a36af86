import { readFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { AskedTask } from '../../core/hold/act.ts'

/** The place of a directory, for people who do not sit at this machine. Never throws. */
export function where(directory: string): Pick<AskedTask, 'directory' | 'branch' | 'host'> {
  const home = homedir()
  const isWithin = home !== '/' && (directory === home || directory.startsWith(`${home}/`))
  return {
    directory: isWithin ? `~${directory.slice(home.length)}` : directory,
    branch: branchIn(directory),
    host: process.env['HOLDPOINT_HOST'] || hostname(),
  }
}

/** The branch that is checked out; the first letters of the commit, if none is. */
function branchIn(directory: string): string | null {
  const head = headOf(directory)
  if (head === null) return null
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 10)
}

/** Read from the files of git: to start it would take longer than all the rest. */
function headOf(directory: string): string | null {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const git = join(at, '.git')
    const head = textOf(join(git, 'HEAD')) ?? headOfWorktree(at, git)
    if (head !== null) return head
    if (dirname(at) === at) return null
  }
}

/** In a worktree `.git` is a file that names the directory with its HEAD. */
function headOfWorktree(at: string, git: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1]
  return named === undefined ? null : textOf(join(resolve(at, named), 'HEAD'))
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
