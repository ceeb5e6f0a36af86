import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Task } from '../../core/task/task.ts'
import { ownProgram } from '../process/own-program.ts'

/**
 * An agent's run ends with the time of its task: without its process it would be taken up by the next worker. It is told
 * to a process of its own, because a supervisor is to stay small.
 */
export async function endRun({ kind, subject, id, invocation }: Task, store: string): Promise<void> {
  if (kind !== 'agent' || subject === null) return
  const reason = `task ${id} is timed out`
  const argv = [ownProgram('bin'), 'cancel', subject, '--store', store, '--reason', reason, '--json']
  const { HOLDPOINT_WITHIN: _, ...env } = process.env
  const child = spawn(process.execPath, argv, { env: { ...env, HOLDPOINT_ACTOR: invocation.by }, stdio: 'ignore' })
  await once(child, 'close')
}
