import { execFile } from 'node:child_process'
import type { RefusedError } from '../../core/errors.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'

export interface GitAnswer {
  readonly isOk: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Milliseconds. A checkout of a large repository takes a while. */
const PATIENCE_MS = 300_000

/** Disables programs that the repository names for git to run: an agent can write there, and nobody approved them. */
const NO_PROGRAMS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']

/**
 * Runs git in a directory, without hooks, a monitor of files, or prompts: no person is there to answer. @throws RefusedError
 * `git_failed` if there is no git
 */
export async function git(directory: string, ...args: string[]): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>()
  const options = {
    cwd: directory,
    env: environment(),
    timeout: PATIENCE_MS,
    maxBuffer: 16 * 1024 * 1024,
    encoding: 'utf8',
  } as const
  execFile('git', [...NO_PROGRAMS, ...args], options, (thrown, stdout, stderr) => {
    if (thrown?.code === 'ENOENT')
      reject(agentFileRefusals.gitFailed('git is not there', 'Install git, or spawn without --worktree.'))
    else resolve({ isOk: thrown === null, stdout: stdout.trimEnd(), stderr: stderr.trim() })
  })
  return promise
}

/** Leaves out variables that name another repository than that of the directory. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, GIT_COMMON_DIR: _common, ...rest } = process.env
  return { ...rest, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }
}

/** The output of a command that has to work. @throws RefusedError `git_failed` */
export async function gitOutput(directory: string, ...args: string[]): Promise<string> {
  const answer = await git(directory, ...args)
  if (answer.isOk) return answer.stdout
  throw gitFailure(args[0] ?? '', answer)
}

/** A command of git that had to work has not. */
export function gitFailure(command: string, { stderr }: GitAnswer): RefusedError {
  return agentFileRefusals.gitFailed(`git ${command} says: ${stderr}`, 'Mend that, and try again. Nothing was deleted.')
}
