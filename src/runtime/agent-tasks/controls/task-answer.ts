/** The arguments of `resume_task`, as an answer to a pause. */
import { type RefusedError, refused } from '../../../core/errors.ts'
import { canonicalJson, type JsonObject } from '../../../core/text/json.ts'
import type { Choice } from '../../pauses/chosen-decisions.ts'
import type { PauseAnswer } from '../../pauses/pause-decisions.ts'

export interface ToolDecision {
  readonly tool_call_id: string
  readonly approved: boolean
  readonly reason?: string | null
  /** With an approval: what to run instead. */
  readonly arguments?: JsonObject | null
}

export interface TaskAnswer {
  readonly tool_decisions?: readonly ToolDecision[]
  readonly prompt?: string
}

/** Exactly one of the two, and something in it. @throws RefusedError */
export function pauseAnswer({ tool_decisions: decisions, prompt }: TaskAnswer): PauseAnswer {
  if (decisions !== undefined && prompt !== undefined)
    throw refused('decisions_with_text', 'tool_decisions and prompt were given together.', ONE_OF_THEM)
  if (prompt !== undefined) {
    if (prompt.trim() === '') throw refused('empty_answer', 'The prompt is empty.', 'Give the answer as text.')
    return { choices: null, prompt, finish: false }
  }
  if (decisions === undefined)
    throw refused('nothing_said', 'Neither tool_decisions nor prompt was given.', ONE_OF_THEM)
  if (decisions.length === 0)
    throw refused('nothing_said', 'tool_decisions is empty.', 'Decide at least one of the calls that wait.')
  return { choices: { each: choicesOf(decisions), rest: null, reason: null }, prompt: null, finish: false }
}

const ONE_OF_THEM =
  'Give tool_decisions where calls wait (get_task_details lists them), and prompt where the agent asked or waits for a text.'

function choicesOf(decisions: readonly ToolDecision[]): Choice[] {
  const choices = new Map<string, Choice>()
  for (const decision of decisions) {
    const choice = choiceOf(decision)
    const before = choices.get(choice.id)
    if (before && canonicalJson({ ...before }) !== canonicalJson({ ...choice })) throw twice(choice.id)
    choices.set(choice.id, choice)
  }
  return [...choices.values()]
}

function choiceOf({ tool_call_id: id, approved, reason = null, arguments: args = null }: ToolDecision): Choice {
  if (!approved && args !== null)
    throw refused('invalid_arguments', `${id} is rejected, yet arguments were given for it.`, 'Leave one of them out.')
  if (!approved) return { id, verdict: 'reject', reason }
  return args === null ? { id, verdict: 'approve', reason } : { id, verdict: 'edit', arguments: args, reason }
}

function twice(id: string): RefusedError {
  return refused('decided_both_ways', `${id} was decided in two ways at once.`, 'Decide each call once.')
}
