/** A git worktree with a branch of its own, for one agent. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import type { AgentWorktree } from '../../runtime/face/agents.ts'
import { addWorktree } from './add-worktree.ts'
import { git, gitOutput } from './git.ts'
import { removeWorktree } from './remove-worktree.ts'

export interface WorktreeWish {
  /** Absolute: where the agent would work without it. */
  readonly workdir: string
  /** Absolute: where worktrees are kept. */
  readonly home: string
  /** Of the agent, or a random one. */
  readonly name: string
}

export interface MadeWorktree extends AgentWorktree {
  /** Absolute: the place in it that `workdir` is in the repository. */
  readonly workdir: string
  /** Changes of the repository that are not committed are not in it. */
  readonly leavesChanges: boolean
  /** Takes it back, if the agent could not be started. */
  readonly undo: () => Promise<void>
}

/** @throws RefusedError `no_repository`, `worktree_exists`, `git_failed`; then nothing was made. */
export async function makeWorktree({ workdir, home, name }: WorktreeWish): Promise<MadeWorktree> {
  const top = await topOf(workdir)
  const head = await git(top, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (!head.isOk) throw noRepository(`${top} has no commit yet`, 'Commit something first.')
  const path = join(home, name)
  const branch = `holdpoint/${name}`
  if (existsSync(path)) throw taken(`the directory ${path} is there already`)
  const known = await git(top, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  if (known.isOk) throw taken(`the branch ${branch} is there already`)
  const status = await gitOutput(top, 'status', '--porcelain')
  await addWorktree(top, { path, branch, commit: head.stdout })
  const made = { path: realpathSync(path), branch }
  return {
    ...made,
    workdir: join(made.path, relative(top, realpathSync(workdir))),
    leavesChanges: status !== '',
    undo: async () => {
      await removeWorktree(made, { discard: true })
    },
  }
}

async function topOf(workdir: string): Promise<string> {
  const top = await git(workdir, 'rev-parse', '--show-toplevel')
  if (top.isOk && top.stdout !== '') return realpathSync(top.stdout)
  throw noRepository(`${workdir} is in no git repository`, 'Make one with `git init`, or leave --worktree out.')
}

function noRepository(why: string, hint: string): RefusedError {
  return new RefusedError('no_repository', `A worktree needs a git repository with a commit, and ${why}.`, {
    hint: `${hint} Nothing was started.`,
  })
}

function taken(why: string): RefusedError {
  return new RefusedError('worktree_exists', `The agent cannot get a worktree of that name: ${why}.`, {
    hint: 'Choose another --name. Nothing was started.',
  })
}
