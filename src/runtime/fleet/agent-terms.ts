/** The terms of a background agent's start, as its task keeps them in its details. */

import { INTERACTIVE, interactiveOf } from '../../core/fleet/interactive.ts'
import { agentRefusals } from '../../core/refusals/agent-refusals.ts'
import type { Interactive } from '../../core/settings/interactive-settings.ts'
import type { Task } from '../../core/task/task.ts'
import { taskName } from '../../core/task/task-name.ts'
import { isJsonObject, type JsonObject } from '../../core/text/json.ts'
import type { AgentWorktree } from '../face/agents.ts'

export interface AgentTerms {
  readonly name: string | null
  readonly interactive: Interactive | null
  readonly worktree: AgentWorktree | null
}

export function termsOf({ details }: Pick<Task, 'details'>): AgentTerms {
  const { worktree } = isJsonObject(details) ? details : {}
  return {
    name: taskName({ details }),
    interactive: interactiveOf(details),
    worktree: isJsonObject(worktree) ? worktreeIn(worktree) : null,
  }
}

function worktreeIn({ path, branch }: JsonObject): AgentWorktree | null {
  return typeof path === 'string' && typeof branch === 'string' ? { path, branch } : null
}

export function detailsOf({ name, interactive, worktree }: AgentTerms): JsonObject {
  return {
    ...(name !== null && { name }),
    ...(interactive && { [INTERACTIVE]: { ...interactive } }),
    ...(worktree && { worktree: { ...worktree } }),
  }
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** A name that looks like an id could mean another agent. @throws RefusedError `invalid_arguments` */
export function refuseUnfitName(name: string): void {
  if (NAME.test(name) && !name.startsWith('task_')) return
  throw agentRefusals.invalidAgentName(name)
}
