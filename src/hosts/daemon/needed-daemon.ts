/**
 * Starts the daemon for an agent that needs one. Keeps: nothing is started in the background that was not asked for, that
 * the project refuses, or within an agent.
 */
import { RefusedError } from '../../core/errors.ts'
import { AGENT_IS_OVER } from '../../core/fleet/agent-status.ts'
import type { AgentSummary } from '../../runtime/face/agents.ts'
import type { CommandContext } from '../command/command.ts'
import type { App, ObservedStore } from '../compose/compose.ts'
import { agentAround } from '../process/lineage/agent-around.ts'
import { readConfig } from '../project/project.ts'
import { findOrStartDaemon, livingDaemon } from './find-daemon.ts'

type Needing = Pick<AgentSummary, 'id' | 'status' | 'host'>

/** The agent continues without a daemon as far as it can, so a daemon that cannot be started is only a warning. */
export async function startNeededDaemon(context: CommandContext, { store }: App, agent: Needing): Promise<void> {
  const { env, directory, io, json } = context
  if (!(await isMissing(context, store, agent))) return
  const say = (text: string) => io.err(`holdpoint: ${text}\n`)
  try {
    const { isStartedHere } = await findOrStartDaemon({ store, directory, env })
    if (isStartedHere && !json) say('started the daemon of this store, which `holdpoint daemon status` shows')
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    say(`${thrown.message} ${thrown.hint ?? ''}`.trim())
  }
}

async function isMissing(
  { given, env, directory, server }: CommandContext,
  store: ObservedStore,
  agent: Needing,
): Promise<boolean> {
  if (server || given.has('no-daemon') || agentAround(env) !== null) return false
  if (!(await needsDaemon(store, agent)) || (await livingDaemon(store)) !== null) return false
  return (await readConfig(directory, env)).start_daemon
}

/**
 * True if the agent is queued, or people have until a deadline and no process of the agent runs that could fire it.
 */
async function needsDaemon(store: ObservedStore, { id, status, host }: Needing): Promise<boolean> {
  if (host !== store.hosts.self) return false
  // People decide on other hosts, and only this host can continue the agent.
  if (host !== null) return !AGENT_IS_OVER[status]
  if (status === 'queued') return true
  if (status !== 'waiting' || (await store.nextDue()) === null) return false
  return (await store.presences.find(id)) === null
}
