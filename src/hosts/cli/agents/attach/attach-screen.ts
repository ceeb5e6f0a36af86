/** The chat at an agent, on this host or over a server. One that is parked or done is opened too: a message goes on with it. */
import { AGENT_IS_OVER } from '../../../../core/fleet/agent-status.ts'
import { modelName } from '../../../../core/run/profile.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import type { App } from '../../../compose/compose.ts'
import { canRedraw } from '../../../display/live-lines.ts'
import { actor } from '../../../process/actor.ts'
import { processLiveness } from '../../../process/process-liveness.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { type Attaching, attachChat, attachPlainly } from '../../../terminal/attached/attach-chat.ts'
import type { AttachedAgent, AttachedSite } from '../../../terminal/attached/attached-site.ts'
import { calledAs } from '../agent-text.ts'
import { type AttachedTo, noProcess } from './attached-to.ts'

/** Resolves to the agent that was on the screen last. @throws RefusedError `not_interactive`, `not_attached` */
export async function attachScreen(
  context: CommandContext,
  { app, agent, since, signal }: AttachedTo,
): Promise<AgentSummary> {
  if (!context.server && agent.interactive === null) throw sessionRefusals.notInteractive(calledAs(agent))
  if (!context.server && AGENT_IS_OVER[agent.status] && agent.status !== 'done') throw noProcess(agent)
  const first = { agent: await attached(app, agent), since, recalled: 0 }
  const newest = await app.holdpoint.newestSeq(first.agent.sessionId)
  if (since > newest) throw sessionRefusals.sinceLater(newest, since)
  const next = async (agentId: string) => forked(app, await app.holdpoint.agents.find(agentId))
  const attach = canDraw(context) ? attachChat : attachPlainly
  return (await attach(context, await siteOf(context, app), { first, next, signal })).summary
}

function canDraw({ io, env, given }: CommandContext): boolean {
  return !given.has('plain') && canRedraw({ io, env: { ...env } })
}

async function siteOf({ env, server }: CommandContext, app: App): Promise<AttachedSite> {
  const { holdpoint, store, agents } = app
  const shared = {
    holdpoint,
    journal: (id: string, seq: number, limit?: number) => store.journal(id, seq, limit),
    watch: (onChange: () => void) => store.tasks.watch(onChange),
  }
  // The token signs, and the policy is that of the server.
  if (server)
    return { ...shared, person: (await server.me()).name, surface: 'http', door: null, checks: async () => null }
  const { isGone } = processLiveness()
  return {
    ...{ ...shared, person: actor(env), surface: 'attach' },
    checks: async sessionId => {
      const profile = (await holdpoint.thread(sessionId)).run?.profile
      return profile ? { app, agents, sessionId, profile } : null
    },
    door: async id => {
      const door = await store.presences.door(id)
      return door === null || door.endpoint === '' || isGone(door.process) ? null : door
    },
  }
}

async function attached({ holdpoint }: App, summary: AgentSummary): Promise<AttachedAgent> {
  const { session_id: sessionId, run_id: runId } = summary
  if (sessionId === null || runId === null) throw noProcess(summary)
  const model = modelName((await holdpoint.run(runId)).profile)
  return { summary, sessionId, called: calledAs(summary), model }
}

/** It begins with what is on the screen already. */
async function forked(app: App, summary: AgentSummary): Promise<Attaching> {
  const agent = await attached(app, summary)
  return { agent, since: 0, recalled: await app.holdpoint.newestSeq(agent.sessionId) }
}
