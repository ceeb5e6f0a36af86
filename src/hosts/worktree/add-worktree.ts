/** git fails if several worktrees of a repository are added at once, also by other processes, so it is tried again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { git, gitFailure } from './git.ts'

const TRIES = 10
const REST_MS = 50
/** The words of git if another git was writing. */
const IN_THE_WAY = /could not lock|unable to (create|lock)|another git process|commondir/i

export interface NewWorktree {
  readonly path: string
  /** There is none of this name. */
  readonly branch: string
  /** The commit that it begins at. */
  readonly commit: string
}

/** By repository: those of this process come one after the other. */
const last = new Map<string, Promise<unknown>>()

/** In the repository at `top`. @throws RefusedError `git_failed`; then nothing was made. */
export function addWorktree(top: string, wanted: NewWorktree): Promise<void> {
  const added = (last.get(top) ?? Promise.resolve()).then(() => add(top, wanted))
  const over = added
    .catch(() => {})
    .then(() => {
      if (last.get(top) === over) last.delete(top)
    })
  last.set(top, over)
  return added
}

async function add(top: string, wanted: NewWorktree): Promise<void> {
  const { path, branch, commit } = wanted
  // The process that made the branch has the place too, so it takes back only its own work.
  await untilDone(top, 'update-ref', `refs/heads/${branch}`, commit, '0'.repeat(commit.length))
  try {
    await untilDone(top, 'worktree', 'add', '--quiet', path, branch)
  } catch (thrown) {
    await git(top, 'worktree', 'remove', '--force', path)
    await git(top, 'update-ref', '-d', `refs/heads/${branch}`, commit)
    throw thrown
  }
}

async function untilDone(top: string, ...args: string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const answer = await git(top, ...args)
    if (answer.isOk) return
    if (tries === TRIES || !IN_THE_WAY.test(answer.stderr)) throw gitFailure(args[0] ?? '', answer)
    await sleep(REST_MS * tries)
  }
}
