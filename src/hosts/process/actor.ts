import { userInfo } from 'node:os'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { Principal } from '../../ports/identity.ts'
import { agentAround } from './lineage/agent-around.ts'

/**
 * The name that signs on a command line. Inside a command that an agent runs, it is that agent. Otherwise it is
 * HOLDPOINT_ACTOR, or the user of the operating system.
 */
export function actor(env: Readonly<Record<string, string | undefined>>): string {
  return agentAround(env) ?? claimedName(env)
}

/** The signature of a command: `actor`, at the command line. */
export function signer(env: Readonly<Record<string, string | undefined>>): Requester {
  return { by: actor(env), surface: 'cli' }
}

/** The name that a person gives, or has on this system. */
export function claimedName(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOLDPOINT_ACTOR'] || osUser() || 'unknown'
}

/** The principal with its proof: there is none, so a person who may run the command may do all that a command can. */
export function claimedPrincipal(env: Readonly<Record<string, string | undefined>>): Principal {
  const agent = agentAround(env)
  const rights = { see: true, decide: true }
  if (agent !== null) return { name: agent, kind: 'agent', groups: [], proven: 'agent', rights }
  const name = actor(env)
  return { name, kind: isAgentActor(name) ? 'agent' : 'person', groups: [], proven: 'claimed', rights }
}

function osUser(): string | null {
  try {
    return userInfo().username
  } catch {
    // A container may run under an id that has no name.
    return null
  }
}
