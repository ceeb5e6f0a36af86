/** The process that watches over one invocation of a task: `--store URL TASK INVOCATION`. Its output has no reader. */
import { superviseTask } from '../compose/task-processes.ts'
import { endRun } from './end-run.ts'

/** If a signal comes before there is a listener, the process must neither end nor forget it. */
let listener: (() => void) | null = null
let wasWoken = false
process.on('SIGTERM', () => {
  wasWoken = true
  listener?.()
})

function onWake(listen: () => void): void {
  listener = listen
  if (wasWoken) listen()
}

const [, store = '', taskId = '', invocation = ''] = process.argv.slice(2)
void superviseTask({ store, taskId, invocation: Number(invocation), onWake, onTimeout: task => endRun(task, store) })
