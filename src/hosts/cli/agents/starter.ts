import { runOf } from '../../../core/people/agent-actor.ts'
import type { Starter } from '../../../runtime/face/tasks.ts'
import { actor } from '../../process/actor.ts'

/** Within the command of an agent, that agent is the starter: what it starts signs as it does. */
export function starterIn(env: Readonly<Record<string, string | undefined>>): Starter {
  const by = actor(env)
  return { by, surface: 'cli', runId: runOf(by) }
}
