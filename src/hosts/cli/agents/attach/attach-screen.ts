/** The screen of the chat at the process of an agent. One that is parked or done is opened too: a message goes on with it. */
import { refused } from '../../../../core/errors.ts'
import { AGENT_IS_OVER } from '../../../../core/fleet/agent-status.ts'
import { modelName } from '../../../../core/run/profile.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import type { App } from '../../../compose/compose.ts'
import { canRedraw } from '../../../display/live-lines.ts'
import { actor } from '../../../process/actor.ts'
import { processLiveness } from '../../../process/process-liveness.ts'
import { type Attaching, attachChat, attachPlainly } from '../../../terminal/attached/attach-chat.ts'
import type { AttachedAgent, AttachedSite } from '../../../terminal/attached/attached-site.ts'
import { calledAs } from '../agent-text.ts'
import { noProcess, notInteractive } from './attach-refusals.ts'
import { firstShown } from './first-shown.ts'

interface Wanted {
  readonly named: string
  /** `null`: the last messages. */
  readonly since: number | null
  readonly signal: AbortSignal
}

/** Resolves to the agent that was on the screen last. @throws RefusedError `not_interactive`, `not_attached` */
export async function attachScreen(
  context: CommandContext,
  app: App,
  { named, since, signal }: Wanted,
): Promise<AgentSummary> {
  const { agents } = app.holdpoint
  const summary = await agents.find(named)
  if (summary.interactive === null) throw notInteractive(summary)
  if (AGENT_IS_OVER[summary.status] && summary.status !== 'done') throw noProcess(summary)
  const agent = await attached(app, summary)
  if (since !== null) refuseLater(since, await app.holdpoint.newestSeq(agent.sessionId))
  const first = { agent, since: since ?? (await firstShown(app, summary)), recalled: 0 }
  const next = async (agentId: string) => forked(app, await agents.find(agentId))
  const attach = canDraw(context) ? attachChat : attachPlainly
  const last = await attach(context, siteOf(app, actor(context.env)), { first, next, signal })
  return last.summary
}

function canDraw({ io, env, given }: CommandContext): boolean {
  return !given.has('plain') && canRedraw({ io, env: { ...env } })
}

function refuseLater(since: number, newest: number): void {
  if (since <= newest) return
  throw refused(
    'invalid_arguments',
    `The session has events up to ${newest}, and none at ${since}.`,
    'Leave --since out for the last messages, or give 0 for all of them.',
  )
}

function siteOf(app: App, person: string): AttachedSite {
  const { holdpoint, store, agents } = app
  const { isGone } = processLiveness()
  return {
    ...{ holdpoint, person },
    journal: (id, seq, limit) => store.journal(id, seq, limit),
    checks: async sessionId => {
      const profile = (await holdpoint.thread(sessionId)).run?.profile
      return profile ? { app, agents, sessionId, profile } : null
    },
    door: async id => {
      const door = await store.presences.door(id)
      return door === null || door.endpoint === '' || isGone(door.process) ? null : door
    },
    watch: onChange => store.tasks.watch(onChange),
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
