import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Task } from '../../core/task/task.ts'
import { type StoreLocation, withoutSupervisorStore } from '../../ports/store/store-location.ts'
import { ownProgram } from '../process/own-program.ts'

/**
 * An agent's run ends with the time of its task: without its process it would be taken up by the next worker. It is told
 * to a process of its own, because a supervisor is to stay small.
 */
export async function endRun({ kind, subject, id, invocation }: Task, store: StoreLocation): Promise<void> {
  if (kind !== 'agent' || subject === null) return
  const reason = `task ${id} is timed out`
  const argv = [ownProgram('bin'), 'cancel', subject, ...store.handOver.argv, '--reason', reason, '--json']
  const { HOLDPOINT_WITHIN: _, ...own } = withoutSupervisorStore(process.env)
  const env = { ...own, ...store.handOver.environment, HOLDPOINT_ACTOR: invocation.by }
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' })
  await once(child, 'close')
}
