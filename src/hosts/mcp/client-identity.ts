import { mcpActor, runOf } from '../../core/people/agent-actor.ts'
import type { Identify } from '../../protocols/mcp/offer/offer.ts'
import type { CommandContext } from '../command/command.ts'
import { actor } from '../process/actor.ts'
import { agentAround } from '../process/lineage/agent-around.ts'

/**
 * The identity of a client. Inside a command that an agent runs, it is that agent. If the server was given a name, it
 * is that name. Otherwise it is the client's own name, which proves nothing: `mcp:NAME`. One token is for all clients, so
 * their roles are the same.
 */
export function clientIdentity(env: CommandContext['env']): Identify {
  const agent = agentAround(env)
  const rights = { person: actor(env), role: 'admin' } as const
  if (agent !== null) return () => ({ ...rights, actor: agent, runId: runOf(agent) })
  const named = env['HOLDPOINT_ACTOR']
  return clientName => ({ ...rights, actor: named || mcpActor(clientName ?? 'unknown'), runId: null })
}
