/** The terms of a background agent's start, as its task keeps them in its details. */
import { RefusedError } from '../../core/errors.ts'
import { INTERACTIVE, interactiveOf } from '../../core/fleet/interactive.ts'
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

/** An id is no name: it would stand for another agent. @throws RefusedError `invalid_arguments` */
export function refuseUnfitName(name: string): void {
  if (NAME.test(name) && !name.startsWith('task_')) return
  throw new RefusedError(
    'invalid_arguments',
    `${JSON.stringify(name)} cannot be the name of an agent. Nothing was started.`,
    {
      hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores; begin with a letter or a digit, and not with task_.',
      details: { field: 'name' },
    },
  )
}
