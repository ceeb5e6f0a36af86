/** git fails if several worktrees of a repository are added at once, also by other processes, so it is tried again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type GitAnswer, git, gitFailure } from './git.ts'

const TRIES = 10
const REST_MS = 50
/** What git says if another git was writing. */
const IN_THE_WAY = /could not lock|unable to (create|lock)|another git process|commondir|cannot lock ref/i

export interface NewWorktree {
  readonly path: string
  /** There is none of this name. */
  readonly branch: string
  /** The commit that it begins at. */
  readonly commit: string
}

/** Those of this process come one after the other. */
let last: Promise<unknown> = Promise.resolve()

/** In the repository at `top`. @throws RefusedError `git_failed`; then nothing was made. */
export function addWorktree(top: string, wanted: NewWorktree): Promise<void> {
  const added = last.then(() => add(top, wanted))
  last = added.catch(() => {})
  return added
}

async function add(top: string, wanted: NewWorktree): Promise<void> {
  const { path, branch, commit } = wanted
  for (let tries = 1; ; tries += 1) {
    const answer = await git(top, 'worktree', 'add', '--quiet', '-b', branch, path, commit)
    if (answer.isOk) return
    await takeBack(top, wanted, answer)
    if (tries === TRIES || !IN_THE_WAY.test(answer.stderr)) throw gitFailure('worktree', answer)
    await sleep(REST_MS * tries)
  }
}

/** git makes the branch first. One that was made by somebody else meanwhile stays. */
async function takeBack(top: string, { path, branch, commit }: NewWorktree, { stderr }: GitAnswer): Promise<void> {
  if (stderr.includes('already exists')) return
  await git(top, 'worktree', 'remove', '--force', path)
  await git(top, 'update-ref', '-d', `refs/heads/${branch}`, commit)
}
