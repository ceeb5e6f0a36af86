import { RefusedError } from '../errors.ts'
import { keptModelSettings } from '../settings/model-settings.ts'
import type { PauseKind, Profile } from './profile.ts'
import type { StopCondition } from './stop-condition.ts'

/** The wishes for an agent that works for another one. `null` takes the parent's value. */
export interface ChildWish {
  readonly instructions: string | null
  /** Names of tools. `null`: the parent's, except for the tools that steer tasks. */
  readonly tools: readonly string[] | null
  readonly model: string | null
  /** From 1. */
  readonly max_steps: number | null
  /** Absolute and checked: at or below the parent's directory. */
  readonly workdir: string
  /** The parent's directory, links resolved. */
  readonly parent_workdir: string
  readonly pause_on: readonly PauseKind[]
}

export interface ParentTools {
  /** Names of all that it may use. */
  readonly all: readonly string[]
  /** The subset of tools by which it steers tasks. */
  readonly steering: readonly string[]
}

/**
 * The profile of a child: its parent's, apart from the wishes, and never more. Its people, its policy and its limits
 * are the parent's. @throws RefusedError `tools_beyond_parent`
 */
export function childProfile(parent: Profile, { all, steering }: ParentTools, wish: ChildWish): Profile {
  const beyond = (wish.tools ?? []).filter(name => !all.includes(name))
  if (beyond.length > 0) throw beyondParent(beyond, all)
  // The client speaks to the parent alone.
  const { model_settings, client_tools: _, ...rest } = parent
  return {
    ...rest,
    // The child has other tools, and it has to be able to end.
    ...keptModelSettings([{ tool_choice: null }, model_settings]),
    instructions: wish.instructions ?? parent.instructions,
    tools: wish.tools ?? all.filter(name => !steering.includes(name)),
    model: wish.model ?? parent.model,
    stop: withinRounds(parent.stop, wish.max_steps),
    workdir: wish.workdir,
    rules_from: parent.rules_from ?? wish.parent_workdir,
    pause_on: wish.pause_on,
  }
}

/** A lower limit of the parent stays. */
function withinRounds(stop: readonly StopCondition[], rounds: number | null): readonly StopCondition[] {
  if (rounds === null) return stop
  const limits = stop.flatMap(condition => (condition.type === 'max_rounds' ? [condition.rounds] : []))
  const others = stop.filter(({ type }) => type !== 'max_rounds')
  return [{ type: 'max_rounds', rounds: Math.min(rounds, ...limits) }, ...others]
}

function beyondParent(beyond: readonly string[], all: readonly string[]): RefusedError {
  return new RefusedError(
    'tools_beyond_parent',
    `A sub-agent gets no more tools than its parent has, and that one has no ${beyond.join(', ')}. Nothing was started.`,
    { hint: all.length > 0 ? `It may have: ${all.join(', ')}.` : 'It can have none.', details: { beyond } },
  )
}
