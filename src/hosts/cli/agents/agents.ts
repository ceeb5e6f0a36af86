/** `holdpoint agents`: agents in the background. */

import { refused } from '../../../core/errors.ts'
import { AGENT_IS_OVER, AGENT_STATUSES } from '../../../core/fleet/agent-status.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { TaskDetails } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf, pageAfter } from '../../command/flag-values.ts'
import { runVerb, type Verb } from '../../command/verbs.ts'
import { ago, inLocalTime } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { TranscriptLines } from '../../display/run/transcript-lines.ts'
import { signer } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { tellsHosts } from '../another-host.ts'
import { onlyWord, openForReading, openToLook, refuseWords } from '../open-for-reading.ts'
import { tellTask, warningsOf } from '../tasks/tasks.ts'
import { AGENT_STYLES, calledAs, sinceIn, standingText } from './agent-text.ts'

const OF_A_RUN = [
  'agent',
  'model',
  'tool',
  'policy',
  'max-steps',
  'budget',
  'workdir',
  'system-prompt-file',
  'prompt-file',
]
const EVERYWHERE: readonly string[] = ['store', 'json']

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    flags: ['server', 'status', 'limit', 'after'],
    load: async () => listAgents,
  },
  spawn: {
    flags: [
      'server',
      'no-daemon',
      'name',
      'interactive',
      'idle-timeout',
      'on-idle',
      'worktree',
      'timeout',
      'wait',
      ...OF_A_RUN,
    ],
    load: async () => (await import('./spawn-agent.ts')).spawnAgent,
  },
  show: { flags: ['server'], load: async () => showAgent },
  send: {
    flags: ['server', 'no-daemon', 'wait', 'steer', 'interrupt', 'input-id'],
    load: async () => (await import('./send-to-agent.ts')).sendToAgent,
  },
  wait: { flags: ['server', 'no-daemon'], load: async () => (await import('./send-to-agent.ts')).waitForAgent },
  attach: {
    flags: ['server', 'since', 'read-only', 'end-on-eof', 'plain'],
    load: async () => (await import('./attach/attach-to-agent.ts')).attachToAgent,
  },
  logs: { flags: ['server', 'follow', 'since'], load: async () => agentLogs },
  end: { flags: ['server'], load: async () => (await import('./send-to-agent.ts')).endAgent },
  kill: { flags: ['server', 'reason'], load: async () => (await import('./send-to-agent.ts')).killAgent },
  respawn: { flags: ['server', 'no-daemon'], load: async () => (await import('./start-again.ts')).respawnAgent },
  resume: { flags: ['server', 'no-daemon'], load: async () => (await import('./start-again.ts')).resumeAgent },
  fork: { flags: ['server', 'no-daemon', 'name'], load: async () => (await import('./start-again.ts')).forkAgent },
  rm: { flags: ['server', 'discard'], load: async () => (await import('./send-to-agent.ts')).takeAgentOff },
}

export async function run(context: CommandContext): Promise<number> {
  return runVerb(context, { command: 'agents', verbs: VERBS, everywhere: EVERYWHERE })
}

async function listAgents(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'agents list')
  const status = oneOf(given, 'status', AGENT_STATUSES)
  await using app = await openToLook(context)
  const after = given.value('after')
  const { agents, next } = await app.holdpoint.agents.list({
    limit: limitIn(given),
    ...(status && { status }),
    ...(after !== null && { after: (await app.holdpoint.agents.find(after)).id }),
  })
  io.out(json ? jsonLine(agents) : listText(context, agents, agentsText(await tellsHosts(context, app, agents))))
  if (next !== null && !json) io.err(`There may be more: ${pageAfter(given, next, ['agents', 'status', 'limit'])}`)
  return 0
}

const agentsText = (isShared: boolean): List<AgentSummary> => ({
  empty: 'No agents. `holdpoint agents spawn "what to do"` starts one.\n',
  plain: {
    AGENT: agent => agent.id,
    NAME: agent => agent.name,
    STATUS: agent => agent.status,
    OF: agent => agent.agent,
    ...(isShared && { HOST: (agent: AgentSummary) => agent.host }),
    HOLDS: agent => agent.holds,
    UPDATED: agent => agent.updated_at,
    TITLE: agent => agent.title,
  },
  screen: [
    { head: 'HOST', value: agent => (isShared ? (agent.host ?? '-') : ''), style: 'dim' },
    { head: 'AGENT', value: calledAs, style: 'bold' },
    { head: 'STATUS', least: 8, value: agent => agent.status, style: agent => AGENT_STYLES[agent.status] },
    { head: 'WHEN', value: (agent, now) => ago(agent.updated_at, now), style: 'dim' },
    { head: 'WHY', least: 16, value: (agent, now) => inLocalTime(agent.because, now) },
    { head: 'TITLE', least: 12, value: agent => agent.title },
  ],
})

/** An agent with all that is known of its task. */
export interface ShownAgent extends AgentSummary {
  /** Warnings for the person who started it. */
  readonly warnings: readonly RunWarning[]
  readonly task: TaskDetails
}

async function showAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json, env } = context
  const named = onlyWord(words, 'agents show AGENT')
  await using app = await openToLook(context)
  const agent = await app.holdpoint.agents.find(named)
  if (json) {
    const task = await app.holdpoint.tasks.details(agent.id, signer(env))
    io.out(jsonLine({ ...agent, warnings: await warningsOf(app, agent), task } satisfies ShownAgent))
    return 0
  }
  io.out(`${standingText(agent)}\n`)
  await tellTask(context, app, agent.id, agent)
  return 0
}

/** The conversation of an agent: messages, calls and decisions. `tasks logs` has the output of its process. */
async function agentLogs(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io } = context
  const named = onlyWord(words, 'agents logs AGENT')
  const since = sinceIn(given) ?? 0
  using stop = watchForStop()
  await using app = await openForReading(context)
  const { holdpoint } = app
  const agent = await holdpoint.agents.find(named)
  if (agent.session_id === null) throw gone(agent)
  const signal = AbortSignal.any([stop.signal, io.unread])
  const events = given.has('follow')
    ? followed(holdpoint, agent, { since, signal })
    : (await holdpoint.journal(agent.session_id)).filter(({ seq }) => seq > since)
  const lines = new TranscriptLines(agent.name ?? agent.agent ?? 'agent')
  for await (const event of events) io.out(context.json ? jsonLine(event) : lines.hear(event))
  const stoppedBy = stop.stoppedBy()
  return stoppedBy ? exitCodeOf(stoppedBy) : 0
}

interface Range {
  readonly since: number
  readonly signal: AbortSignal
}

/** Until the agent is over; it is left alone whenever this ends. */
async function* followed(holdpoint: Holdpoint, { id, session_id }: AgentSummary, { since, signal }: Range) {
  for await (const event of holdpoint.follow(session_id ?? '', { since, signal })) {
    if ('ephemeral' in event) continue
    yield event as JournalEvent
    if (event.kind !== 'run.finished') continue
    const isNewest = (await holdpoint.newestSeq(session_id ?? '')) === event.seq
    if (isNewest && AGENT_IS_OVER[(await holdpoint.agents.find(id)).status]) return
  }
}

function gone(agent: AgentSummary) {
  return refused('unknown_session', `The session of ${calledAs(agent)} is in this store no more.`, 'It was pruned.')
}
