/** Keeps: a crash leaves a run with its task or neither. A refusal leaves nothing that could go on. */

import type { Content } from '../../core/message/part.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Task } from '../../core/task/task.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { keptText } from '../../core/text/kept-text.ts'
import type { Starter } from '../face/tasks.ts'
import type { Started, StartWithProfile } from '../views/face-options.ts'
import { AGENT, type AgentTasksDeps } from './agent-task.ts'

/** An agent that is about to run in a process of its own. */
export interface AgentStart extends Pick<StartWithProfile, 'thread' | 'inputId' | 'startId'> {
  readonly profile: Profile
  readonly input: Content
  readonly title: string
  readonly timeout_seconds: number | null
  /** Stored with the task, in addition to its session. */
  readonly details: JsonObject
}

/** @throws RefusedError; then nothing was started. */
export async function startAgent(
  deps: AgentTasksDeps,
  { profile, input, title, timeout_seconds, details, ...rest }: AgentStart,
  starter: Starter,
): Promise<Task> {
  const { holdpoint, tasks, processes } = deps
  const id = deps.ids.next('task')
  const attending = ({ checkpoint_id }: Started) => processes.attend({ checkpoint_id, pause_on: profile.pause_on })
  const run = await holdpoint.start({
    ...{ profile, input, author: starter.by, ...rest },
    task: started => ({
      ...{ id, by: starter.by, surface: starter.surface },
      ...{ kind: AGENT, title, subject: started.id },
      details: { ...details, session_id: started.thread_id },
      workdir: profile.project ?? profile.workdir,
      timeout_ms: timeoutMs(timeout_seconds),
      argv: attending(started).argv,
      // An agent that another one starts gets its place with that one, which may wait for it.
      waits: tasks.isLimited && starter.runId === null,
    }),
  })
  // Another start with the same id was quicker, and its run has its own task, or none.
  if (rest.startId !== undefined && (await deps.store.tasks.task(id)) === null)
    return taskBegunBy(deps, rest.startId, run)
  try {
    return await tasks.launch(id, { ...environmentOf(starter), ...attending(run).environment })
  } catch (thrown) {
    // A caller who gets no task may try again. Without a start id, the next worker must not take up this run as well.
    if (rest.startId === undefined)
      await holdpoint.cancel(run.id, { by: starter.by, reason: 'its task could not be started' }).catch(() => {})
    throw thrown
  }
}

/** The task that a start with this id began: later runs of its thread may be about it. @throws RefusedError `start_id_taken` */
export async function taskBegunBy(
  { store }: AgentTasksDeps,
  startId: string,
  { id, thread_id }: Pick<Started, 'id' | 'thread_id'>,
): Promise<Task> {
  for (const { id: subject } of await store.runs({ thread_id })) {
    const [task] = await store.tasks.tasks({ subject, limit: 1 })
    if (task) return task
  }
  throw runRefusals.startIdTaken(id, startId)
}

/** Processes on behalf of an agent sign as that agent, and find no other name. All others sign as the requester. */
export function environmentOf({ by, runId }: Starter): Record<string, string | undefined> {
  return runId === null
    ? { HOLDPOINT_ACTOR: by, HOLDPOINT_WITHIN: undefined }
    : { HOLDPOINT_ACTOR: undefined, HOLDPOINT_WITHIN: by }
}

const LONGEST = 80

/** A title for a task without one: the beginning of its first line. */
export function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return keptText([...line].slice(0, LONGEST).join(''))
}

/** Whole milliseconds, as tasks are kept: seconds may have any fraction. `null`: no limit. */
export function timeoutMs(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(1, Math.round(seconds * 1000))
}
