/** The arguments of `resume_task`, as an answer to a pause. */

import { refused } from '../../../core/errors.ts'
import { taskRefusals } from '../../../core/refusals/task-refusals.ts'
import { canonicalJson } from '../../../core/text/json.ts'
import type { FitsAll } from '../../../core/text/json-schema.ts'
import type { Choice } from '../../pauses/chosen-decisions.ts'
import type { PauseAnswer } from '../../pauses/pause-decisions.ts'
import type { PAUSE_ANSWER } from './task-schemas.ts'

export type TaskAnswer = Pick<FitsAll<typeof PAUSE_ANSWER>, 'tool_decisions' | 'prompt'>
type ToolDecision = NonNullable<TaskAnswer['tool_decisions']>[number]

/** Exactly one of the two, and something in it. @throws RefusedError */
export function pauseAnswer({ tool_decisions: decisions, prompt }: TaskAnswer): PauseAnswer {
  if (decisions !== undefined && prompt !== undefined)
    throw refused('decisions_with_text', 'tool_decisions and prompt were given together.', ONE_OF_THEM)
  if (prompt !== undefined) {
    if (prompt.trim() === '') throw taskRefusals.emptyAnswer()
    return { choices: null, prompt, finish: false }
  }
  if (decisions === undefined)
    throw refused('nothing_said', 'Neither tool_decisions nor prompt was given.', ONE_OF_THEM)
  if (decisions.length === 0) throw taskRefusals.nothingSaid()
  return { choices: { each: choicesOf(decisions), rest: null, reason: null }, prompt: null, finish: false }
}

const ONE_OF_THEM =
  'Give tool_decisions where calls wait (get_task_details lists them), and prompt where the agent asked or waits for a text.'

function choicesOf(decisions: readonly ToolDecision[]): Choice[] {
  const choices = new Map<string, Choice>()
  for (const decision of decisions) {
    const choice = choiceOf(decision)
    const before = choices.get(choice.id)
    if (before && canonicalJson({ ...before }) !== canonicalJson({ ...choice })) throw taskRefusals.twice(choice.id)
    choices.set(choice.id, choice)
  }
  return [...choices.values()]
}

function choiceOf({ tool_call_id: id, approved, reason = null, arguments: args = null }: ToolDecision): Choice {
  if (!approved && args !== null) throw taskRefusals.argumentsOfRejected(id)
  if (!approved) return { id, verdict: 'reject', reason }
  return args === null ? { id, verdict: 'approve', reason } : { id, verdict: 'edit', arguments: args, reason }
}
