/**
 * Keeps: a child never may do more than its parent. A refusal leaves nothing that could go on.
 */

import { INTERACTIVE } from '../../core/fleet/interactive.ts'
import { taskRefusals } from '../../core/refusals/task-refusals.ts'
import { type ChildWish, childProfile } from '../../core/run/child-profile.ts'
import type { Profile } from '../../core/run/profile.ts'
import { USUAL_INTERACTIVE } from '../../core/settings/interactive-settings.ts'
import type { Task } from '../../core/task/task.ts'
import type { ChildRequest, Starter } from '../face/tasks.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { runPath } from '../views/run-path.ts'
import type { AgentTasksDeps } from './agent-task.ts'
import { shortTitle, startAgent } from './start-agent.ts'

/** Names of the tools that steer tasks: a parent passes them on to a child only by name. */
type Steering = readonly string[]

/** @throws RefusedError; then nothing was started. */
export async function startChild(
  deps: AgentTasksDeps,
  request: ChildRequest,
  { starter, steering }: { readonly starter: Starter; readonly steering: Steering },
): Promise<Task> {
  await refuseTooDeep(deps, starter)
  const profile = await profileFor(deps, request, { parent: await parentProfile(deps, starter), steering })
  const { prompt: input, title, timeout_seconds } = request
  const details = {
    parent_run_id: starter.runId,
    ...(request.interactive && { [INTERACTIVE]: { ...USUAL_INTERACTIVE } }),
  }
  return startAgent(deps, { profile, input, title: title ?? shortTitle(input), timeout_seconds, details }, starter)
}

/** The bounds of a starter's tasks. */
export async function parentProfile({ holdpoint, processes }: AgentTasksDeps, { runId }: Starter): Promise<Profile> {
  return runId === null ? processes.bounds() : (await holdpoint.run(runId)).profile
}

async function profileFor(
  deps: AgentTasksDeps,
  request: ChildRequest,
  { parent, steering }: { readonly parent: Profile; readonly steering: Steering },
): Promise<Profile> {
  const { processes } = deps
  if (parent.agent_file === null && parent.agent !== 'default') throw taskRefusals.notInFile(parent.agent)
  const all = [...(await loadAgent(deps, parent)).tools.keys()]
  const wish: ChildWish = {
    ...request,
    workdir: processes.directoryWithin(request.workdir ?? '.', parent.workdir),
    parent_workdir: processes.directoryWithin('.', parent.workdir),
    model: request.model === null ? null : processes.modelWithin(request.model, parent),
  }
  const profile = childProfile(parent, { all, steering }, wish)
  await processes.rehearse(profile)
  return profile
}

/** The longest chain of agents that start agents: a person may still oversee that many. */
const DEEPEST = 8

async function refuseTooDeep({ store }: AgentTasksDeps, { runId }: Starter): Promise<void> {
  if (runId === null || (await runPath(store, runId)).length < DEEPEST) return
  throw taskRefusals.tooDeep(DEEPEST)
}
