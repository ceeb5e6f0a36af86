/** From arguments that fit their schema to requests: what was left out is `null`. */
import { taskRefusals } from '../../../core/refusals/task-refusals.ts'
import type { PauseKind } from '../../../core/run/profile.ts'
import type { Fits } from '../../../core/text/json-schema.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import type { ChildRequest, CommandRequest, Tasks, TasksWaited } from '../../face/tasks.ts'
import type { WAIT_INPUT } from './task-schemas.ts'

type Optional<T> = { readonly [K in keyof T]?: Exclude<T[K], null> }

export function askedCommand(
  args: Optional<Omit<CommandRequest, 'command'>> & { command?: string; argv?: readonly string[] },
): CommandRequest {
  const { command, argv, title = null, workdir = null, timeout_seconds = null } = args
  if ((command === undefined) === (argv === undefined)) throw taskRefusals.commandOrArgv()
  return { command: command ?? argv ?? [], title, workdir, timeout_seconds }
}

/** Pauses that a sub-agent always has: no other person could be asked. */
const ALWAYS: readonly PauseKind[] = ['approval', 'question']

export function askedChild(args: Optional<ChildRequest> & { prompt: string }): ChildRequest {
  const nothing = { title: null, instructions: null, tools: null, model: null }
  const unlimited = { max_steps: null, timeout_seconds: null, workdir: null }
  const pause_on = [
    ...new Set([...ALWAYS, ...(args.pause_on ?? []), ...(args.interactive ? (['input'] as const) : [])]),
  ]
  return { ...nothing, ...unlimited, ...args, pause_on }
}

/** Shorter than the patience of usual MCP clients; a model that waits within a run pays for each time it is asked. */
const USUAL_SECONDS = 50
const USUAL_SECONDS_IN_RUN = 3600

export async function askedWait(
  tasks: Tasks,
  { task_ids, until = 'any', timeout_seconds }: Fits<typeof WAIT_INPUT>,
  { signal, actor: by, surface, runId, onProgress }: ControlContext,
): Promise<TasksWaited> {
  const seconds = timeout_seconds ?? (runId === null ? USUAL_SECONDS : USUAL_SECONDS_IN_RUN)
  let told = ''
  return tasks.wait(task_ids, {
    ...{ until, seconds, signal, asker: { by, surface } },
    onProgress: seen => {
      const line = seen.map(({ task_id, status }) => `${task_id} ${status}`).join(', ')
      if (line !== told) onProgress(line)
      told = line
    },
  })
}
