/**
 * The process that watches over one invocation of a task: `[--store URL] TASK INVOCATION`. A store with a password is
 * named in the environment instead. Its output has no reader.
 */
import type { Task } from '../../core/task/task.ts'
import { StoreLocation, supervisedStore } from '../../ports/store/store-location.ts'
import { superviseTask } from '../compose/task-processes.ts'
import { endRun } from './end-run.ts'

/** If a signal comes before there is a listener, the process must neither end nor forget it. */
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
