/** A git worktree with a branch of its own, for one agent. */

import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentWorktree } from '../../runtime/face/agents.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { git, gitFailure, gitOutput } from './git.ts'
import { removeWorktree } from './remove-worktree.ts'

export interface WorktreeWish {
  /** Absolute path in which the agent would work without it. */
  readonly workdir: string
  /** Absolute path for worktrees. */
  readonly home: string
  /** The name of the agent, or a random one. */
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
  if (!head.isOk) throw agentFileRefusals.noRepository(`${top} has no commit yet`, 'Commit something first.')
  const path = join(home, name)
  const branch = `holdpoint/${name}`
  if (existsSync(path)) throw agentFileRefusals.taken(`the directory ${path} is there already`)
  const known = await git(top, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  if (known.isOk) throw agentFileRefusals.taken(`the branch ${branch} is there already`)
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
  throw agentFileRefusals.noRepository(
    `${workdir} is in no git repository`,
    'Make one with `git init`, or leave --worktree out.',
  )
}

/** git fails if several worktrees of a repository are added at once, also by other processes, so it is tried again. */
const TRIES = 10
const REST_MS = 50
/** The words of git if another git was writing. */
const IN_THE_WAY = /could not lock|unable to (create|lock)|another git process|commondir/i

interface NewWorktree {
  readonly path: string
  /** There is none of this name. */
  readonly branch: string
  /** The commit that it begins at. */
  readonly commit: string
}

/** By repository: those of this process come one after the other. */
const last = new Map<string, Promise<unknown>>()

/** In the repository at `top`. @throws RefusedError `git_failed`; then nothing was made. */
function addWorktree(top: string, wanted: NewWorktree): Promise<void> {
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
