import { interactiveOf } from '../../core/fleet/interactive.ts'
import type { Task } from '../../core/task/task.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import type { App } from '../compose/compose.ts'
import { systemClock } from '../process/system-clock.ts'
import { attendRun } from './attend-run.ts'

export interface AttendingSite {
  readonly app: App
  readonly env: Readonly<Record<string, string | undefined>>
}

/** As `attendRun`. The process of an interactive agent stays while its run waits, and lets others attach. */
export async function attendAgent(
  { app, env }: AttendingSite,
  runId: string,
  options: AdvanceOptions,
): Promise<AdvanceResult> {
  const task = await taskHere({ app, env }, runId)
  const settings = task && interactiveOf(task.details)
  if (!task || !settings) return attendRun(app.holdpoint, runId, options)
  const { runAgent } = await import('../agent-process/run-agent.ts')
  const { agentSockets } = await import('../compose/agents/agent-sockets.ts')
  const { processLiveness } = await import('../process/process-liveness.ts')
  const site = { holdpoint: app.holdpoint, store: app.store, clock: systemClock, liveness: processLiveness() }
  const { thread_id, profile } = await app.holdpoint.run(runId)
  const name = task.details['name']
  const place = {
    ...{ task_id: task.id, invocation: task.invocation.n, run_id: runId, thread_id, settings },
    name: typeof name === 'string' ? name : profile.agent,
    workdir: profile.workdir,
  }
  const sockets = agentSockets(app.store.location, env)
  const advance = (id: string, options: AdvanceOptions) => attendRun(app.holdpoint, id, options)
  return runAgent({ site, place, sockets, advance, warn: problem => process.emitWarning(problem) }, options)
}

/** The task that this process was started for; `null` if it is another one's, or none. */
async function taskHere({ app, env }: AttendingSite, runId: string): Promise<Task | null> {
  const [id, invocation] = (env['HOLDPOINT_TASK'] ?? '').split('/')
  const task = id ? await app.store.tasks.task(id) : null
  return task?.subject === runId && String(task.invocation.n) === invocation ? task : null
}
