import { spawn } from 'node:child_process'
import { messageOf } from '../core/errors.ts'
import { StartError } from './start-error.ts'
import type { Environment } from './task-environment.ts'

/**
 * A shell starts it in the background and ends. It is then no child of the starter, and survives a stop of the
 * starter's family. The shell gets the command as arguments, not in its script.
 */
const SCRIPT = '"$@" </dev/null >/dev/null 2>&1 & echo $!'

/** Starts a process that outlives this one, in a session of its own; resolves to its id. @throws StartError */
export async function startSupervisor(argv: readonly string[], environment: Environment): Promise<number> {
  // The supervisor must keep no directory in use.
  return startDetached(argv, { environment, directory: '/' }).catch(thrown => {
    throw new StartError(`The supervisor of the task could not be started: ${messageOf(thrown)}`, thrown)
  })
}

/** Like `startSupervisor`, in a directory. @throws the system's error */
export async function startDetached(
  argv: readonly string[],
  { environment, directory }: { readonly environment: Environment; readonly directory: string },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  try {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...argv], {
      cwd: directory,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    let told = ''
    shell.stdout.on('data', chunk => {
      told += chunk
    })
    shell.once('error', reject)
    shell.once('close', code => {
      if (code === 0 && /^\d+\n$/.test(told)) resolve(Number(told))
      else reject(new Error(`the shell that was to start it exited with ${code}`))
    })
  } catch (thrown) {
    reject(thrown)
  }
  return promise
}
