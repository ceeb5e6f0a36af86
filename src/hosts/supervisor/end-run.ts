import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Task, TaskStatus } from '../../core/task.ts'
import { ownProgram } from '../own-program.ts'

/** After these a run without its process would be taken up by the next worker. */
const ENDS_RUN: readonly TaskStatus[] = ['cancelled', 'timed_out']

/** An agent's run ends with its task. It is told to a process of its own, because a supervisor is to stay small. */
export async function endRun({ kind, subject, status, id, invocation, ...task }: Task, store: string): Promise<void> {
  if (kind !== 'agent' || subject === null || !ENDS_RUN.includes(status)) return
  const reason = `task ${id} is ${status}`
  const argv = [ownProgram('bin'), 'cancel', subject, '--store', store, '--reason', reason, '--json']
  const { HOLDPOINT_WITHIN: _, ...env } = process.env
  const actor = task.cancel_requested_by ?? invocation.by
  const child = spawn(process.execPath, argv, { env: { ...env, HOLDPOINT_ACTOR: actor }, stdio: 'ignore' })
  await once(child, 'close')
}
