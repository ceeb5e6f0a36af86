/**
 * Removes the worktree of an agent. Keeps: work that is not committed, or not on another branch, is deleted only with
 * `discard`.
 */

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RefusedError } from '../../core/errors.ts'
import type { AgentWorktree } from '../../runtime/face/agents.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { git, gitOutput } from './git.ts'

/** The work that would be lost with a worktree. */
export interface Unsaved {
  /** Files that differ from the last commit, or that git does not know; as git names them. */
  readonly files: readonly string[]
  /** Commits that are on no other branch. */
  readonly commits: readonly string[]
}

export interface Removal {
  /** Deletes what is not saved, too. */
  readonly discard: boolean
  /** Only reports whether it can be removed. Default: false. */
  readonly dryRun?: boolean
}

/** False if it was gone before. @throws RefusedError `worktree_not_saved`, `git_failed`; then nothing was deleted. */
export async function removeWorktree(
  { path, branch }: AgentWorktree,
  { discard, dryRun = false }: Removal,
): Promise<boolean> {
  if (!existsSync(path)) return false
  const common = await gitOutput(path, 'rev-parse', '--path-format=absolute', '--git-common-dir')
  const unsaved = await unsavedIn({ path, branch })
  if (!discard && (unsaved.files.length > 0 || unsaved.commits.length > 0)) throw notSaved(path, branch, unsaved)
  if (dryRun) return true
  const tip = await git(path, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  // Without --force git itself refuses what was changed since it was looked at.
  await gitOutput(dirname(path), '--git-dir', common, 'worktree', 'remove', ...(discard ? ['--force'] : []), path)
  // With the commit that was seen: a branch that went on meanwhile stays.
  if (tip.isOk)
    await gitOutput(dirname(path), '--git-dir', common, 'update-ref', '-d', `refs/heads/${branch}`, tip.stdout)
  return true
}

/** @throws RefusedError `git_failed` */
export async function unsavedIn({ path, branch }: AgentWorktree): Promise<Unsaved> {
  const files = await gitOutput(path, 'status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none')
  const others = ['--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags']
  const known = await git(path, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  const tips = ['HEAD', ...(known.isOk ? [`refs/heads/${branch}`] : [])]
  const commits = await gitOutput(path, 'log', '--format=%h %s', ...tips, ...others)
  return { files: lines(files), commits: lines(commits) }
}

function lines(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}

const MOST_LISTED = 5

function notSaved(path: string, branch: string, { files, commits }: Unsaved): RefusedError {
  const parts = [
    files.length > 0
      ? `${counted(files.length, 'file')} not committed (${some(files.map(file => file.slice(3)))})`
      : null,
    commits.length > 0 ? `${counted(commits.length, 'commit')} on no other branch (${some(commits)})` : null,
  ].filter(part => part !== null)
  return agentFileRefusals.worktreeNotSaved(path, parts, branch, {
    details: { files: files.slice(0, MOST_LISTED), commits: commits.slice(0, MOST_LISTED) },
  })
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function some(texts: readonly string[]): string {
  return `${texts.slice(0, MOST_LISTED).join(', ')}${texts.length > MOST_LISTED ? ', …' : ''}`
}
