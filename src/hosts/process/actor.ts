import { userInfo } from 'node:os'
import { asAgentActor, isAgentActor } from '../../core/people/agent-actor.ts'
import type { Principal } from '../../ports/identity.ts'

/**
 * The name that signs on a command line. Inside a command that an agent runs, it is that agent. Otherwise it is
 * HOLDPOINT_ACTOR, or the user of the operating system.
 */
export function actor(env: Readonly<Record<string, string | undefined>>): string {
  const within = env['HOLDPOINT_WITHIN']
  if (within) return asAgentActor(within)
  return env['HOLDPOINT_ACTOR'] || osUser() || 'unknown'
}

/** The same, with its proof: there is none, so a person who may run the command may do all that a command can. */
export function claimedPrincipal(env: Readonly<Record<string, string | undefined>>): Principal {
  const name = actor(env)
  const kind = isAgentActor(name) ? 'agent' : 'person'
  const proven = env['HOLDPOINT_WITHIN'] ? 'agent' : 'claimed'
  return { name, kind, groups: [], proven, rights: { see: true, decide: true } }
}

function osUser(): string | null {
  try {
    return userInfo().username
  } catch {
    // A container may run under an id that has no name.
    return null
  }
}
