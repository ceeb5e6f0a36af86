/**
 * The process that watches over one invocation of a task: `[--store URL] TASK INVOCATION`. A store with a password is
 * named in the environment instead. Its output has no reader.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Task } from '../../core/task/task.ts'
import { StoreLocation, supervisedStore, withoutSupervisorStore } from '../../ports/store/store-location.ts'
import { superviseTask } from '../compose/task-processes.ts'
import { ownProgram } from '../process/own-program.ts'

/** A signal may arrive before there is a listener: the process must neither end nor forget it. */
let listener: (() => void) | null = null
let wasWoken = false
for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    wasWoken = true
    listener?.()
  })

function onWake(listen: () => void): void {
  listener = listen
  if (wasWoken) listen()
}

const argv = process.argv.slice(2)
const store = supervisedStore(argv, process.env)
const [taskId = '', invocation = ''] = argv.slice(-2)
const onTimeout = (task: Task) => endRun(task, new StoreLocation(store))
void superviseTask({ store, taskId, invocation: Number(invocation), onWake, onTimeout })

/**
 * Ends an agent's run when the time of its task is over: without its process the next worker would take it up. A
 * separate process does it, because a supervisor must stay small.
 */
async function endRun({ kind, subject, id, invocation }: Task, store: StoreLocation): Promise<void> {
  if (kind !== 'agent' || subject === null) return
  const reason = `task ${id} is timed out`
  const argv = [ownProgram('bin'), 'cancel', subject, ...store.handOver.argv, '--reason', reason, '--json']
  const { HOLDPOINT_WITHIN: _, ...own } = withoutSupervisorStore(process.env)
  const env = { ...own, ...store.handOver.environment, HOLDPOINT_ACTOR: invocation.by }
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' })
  await once(child, 'close')
}
