import { AGENT_STATUSES } from '../../../core/fleet/agent-status.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { ago } from '../../display/ago.ts'
import { type Screen, screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { tellsHosts } from '../another-host.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'
import { AGENT_STYLES } from './agent-text.ts'

export async function listAgents(context: CommandContext, words: readonly string[]): Promise<number> {
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
  io.out(json ? jsonLine(agents) : listText(context, agents, await tellsHosts(context, app, agents)))
  if (next !== null && !json) io.err(`There may be more: holdpoint agents --after ${next}${placeFlags(given)}\n`)
  return 0
}

function listText(context: CommandContext, agents: readonly AgentSummary[], hosts: boolean): string {
  if (agents.length === 0) return 'No agents. `holdpoint agents spawn "what to do"` starts one.\n'
  const screen = screenFor(context)
  return screen ? agentScreen(agents, screen, hosts) : agentTable(agents, hosts)
}

/** Of those that the rest of a pipeline may need, nothing is cut. */
function agentTable(agents: readonly AgentSummary[], isShared: boolean): string {
  const cells = agents.map(agent => [
    agent.id,
    agent.name ?? '-',
    agent.status,
    agent.agent ?? '-',
    ...(isShared ? [agent.host ?? '-'] : []),
    String(agent.holds),
    agent.updated_at,
    visibleLine(agent.title),
  ])
  const host = isShared ? ['HOST'] : []
  return plainTable(['AGENT', 'NAME', 'STATUS', 'OF', ...host, 'HOLDS', 'UPDATED', 'TITLE'], cells)
}

const HOST: Column = { head: 'HOST' }

const COLUMNS: readonly Column[] = [
  { head: 'AGENT' },
  { head: 'STATUS', least: 8 },
  { head: 'WHEN' },
  { head: 'WHY', least: 16 },
  { head: 'TITLE', least: 12 },
]

function agentScreen(agents: readonly AgentSummary[], screen: Screen, isShared: boolean): string {
  const rows = agents.map(agent => ({
    cells: [
      ...(isShared ? [{ text: agent.host ?? '-', style: 'dim' } as const] : []),
      { text: agent.name ?? agent.id, style: 'bold' },
      { text: agent.status, style: AGENT_STYLES[agent.status] },
      { text: ago(agent.updated_at, screen.now), style: 'dim' },
      visibleLine(agent.because),
      visibleLine(agent.title),
    ] satisfies Cell[],
  }))
  return screenTable(isShared ? [HOST, ...COLUMNS] : COLUMNS, rows, screen)
}
