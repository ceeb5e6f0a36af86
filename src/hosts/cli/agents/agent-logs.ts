import { refused } from '../../../core/errors.ts'
import { AGENT_IS_OVER } from '../../../core/fleet/agent-status.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { CommandContext } from '../../command/command.ts'
import { TranscriptLines } from '../../display/run/transcript-lines.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { calledAs } from './agent-text.ts'
import { sinceIn } from './since.ts'

/** The conversation of an agent: what was said, called and decided. Not what its process prints: `tasks logs` has that. */
export async function agentLogs(context: CommandContext, words: readonly string[]): Promise<number> {
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
