import { userInfo } from 'node:os'
import { asAgentActor } from '../../core/people/agent-actor.ts'

/**
 * Who decides on a command line: within a command that an agent runs, that agent; otherwise HOLDPOINT_ACTOR, or the user
 * of the operating system.
 */
export function actor(env: Readonly<Record<string, string | undefined>>): string {
  const within = env['HOLDPOINT_WITHIN']
  if (within) return asAgentActor(within)
  return env['HOLDPOINT_ACTOR'] || osUser() || 'unknown'
}

function osUser(): string | null {
  try {
    return userInfo().username
  } catch {
    // A container may run under an id that has no name.
    return null
  }
}
