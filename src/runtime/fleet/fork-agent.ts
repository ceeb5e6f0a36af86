import type { RefusedError } from '../../core/errors.ts'
import { agentRefusals } from '../../core/refusals/agent-refusals.ts'
import type { Task } from '../../core/task/task.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { environmentOf, shortTitle, startAgent } from '../agent-tasks/start-agent.ts'
import type { AgentFork } from '../face/agents.ts'
import type { Forked } from '../threads/fork-thread.ts'
import { detailsOf, refuseUnfitName, termsOf } from './agent-terms.ts'
import { refuseNameInUse } from './find-agent.ts'
import type { SeenAgent } from './look-at-agent.ts'

/** @throws RefusedError; then nothing was forked. */
export async function forkAgent(deps: AgentTasksDeps, seen: SeenAgent, fork: AgentFork): Promise<Task> {
  const checkpoint = seen.row?.checkpoint_id ?? null
  if (checkpoint === null) throw nowhere(seen)
  if (seen.row?.status === 'done' && fork.text === null) throw sayWhat(seen)
  if (fork.name !== null) {
    refuseUnfitName(fork.name)
    await refuseNameInUse(deps, fork.name)
  }
  return goOnWith(deps, { seen, fork, forked: await deps.holdpoint.fork(checkpoint) })
}

interface Copied {
  readonly seen: SeenAgent
  readonly fork: AgentFork
  readonly forked: Forked
}

async function goOnWith(deps: AgentTasksDeps, { seen, fork, forked }: Copied): Promise<Task> {
  const { name, text, starter } = fork
  const { status, profile } = await deps.holdpoint.run(forked.run_id)
  // Two agents in one working tree would overwrite each other's work, so a fork gets the conversation, not the files.
  const terms = { ...termsOf(seen.task), name, worktree: null }
  const title = text === null ? `fork of ${seen.task.title}` : shortTitle(text)
  const details = { parent_run_id: starter.runId, forked_from: seen.task.id, ...detailsOf(terms) }
  if (status === 'done') {
    const { seq } = await deps.holdpoint.thread(forked.thread_id)
    const thread = { id: forked.thread_id, seq }
    return startAgent(deps, { profile, input: text ?? '', title, details, timeout_seconds: null, thread }, starter)
  }
  const { by, surface } = starter
  if (text !== null)
    await deps.holdpoint.send(forked.thread_id, { text, author: by, surface }, { whileWaiting: 'queue' })
  const { argv, environment } = deps.processes.attend({ ...forked, pause_on: profile.pause_on })
  return deps.tasks.start({
    ...{ by, surface, kind: AGENT, subject: forked.run_id, argv, title },
    details: { ...details, session_id: forked.thread_id },
    workdir: profile.project ?? profile.workdir,
    timeout_ms: seen.task.timeout_ms,
    waits: deps.tasks.isLimited && starter.runId === null,
    environment: { ...environmentOf(starter), ...environment },
  })
}

function nowhere({ summary: { id, name } }: SeenAgent): RefusedError {
  return agentRefusals.nowhere(name ?? id)
}

function sayWhat({ summary: { id, name, status } }: SeenAgent): RefusedError {
  return agentRefusals.sayWhat(name ?? id, status)
}
