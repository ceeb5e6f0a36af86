/** `agents attach`: the screen of the chat, or its lines, for a person at a terminal, and lines for everything else. */
import { durationText } from '../../../../core/text/duration-text.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import { placeFlags } from '../../../command/flag-values.ts'
import type { App } from '../../../compose/compose.ts'
import { canAsk } from '../../../display/ask-line.ts'
import { watchForStop } from '../../../process/interruption.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { orAtItsHost, refuseAttachElsewhere } from '../../another-host.ts'
import { onlyWord, openForReading } from '../../open-for-reading.ts'
import { EXIT_OF, nextText, sinceIn, standingText } from '../agent-text.ts'

/** The exit code if a line of a program was refused. */
const REFUSED = 2

/** Frames and news are two documents: with `--json` a server is used only if it is named. */
export function attachToAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  if (context.json) return attach(context, words)
  return orAtItsHost(context, at => attach(at, words))
}

async function attach(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, server } = context
  const named = onlyWord(words, 'agents attach AGENT')
  const asked = sinceIn(given)
  using stop = watchForStop()
  await using app = await openForReading(context)
  const agent = await app.holdpoint.agents.find(named)
  if (!server) await refuseAttachElsewhere(app, agent)
  const at = { app, agent, since: asked ?? (await firstShown(app, agent)), signal: stop.signal }
  if (isTalk(context))
    return await tellLeft(context, app, await (await import('./attach-screen.ts')).attachScreen(context, at))
  const isTaken = await (await import('./attach-lines.ts')).attachLines(context, at)
  const exit = await tellLeft(context, app, agent)
  return isTaken ? exit : REFUSED
}

/** A person at a terminal. `--read-only` and `--end-on-eof` are for lines. @throws RefusedError `invalid_arguments` */
function isTalk({ io, json, given }: CommandContext): boolean {
  const isForLines = json || given.has('read-only') || given.has('end-on-eof')
  if (given.has('plain') && (isForLines || !canAsk(io))) throw sessionRefusals.plainForPeople()
  return !isForLines && canAsk(io)
}

/** Messages that are shown at first, and the events that are looked through for them, from the end. */
const LAST = { messages: 20, events: 400 } as const

/** The `seq` behind which the last messages of an agent are. */
async function firstShown({ holdpoint, store }: App, { session_id }: AgentSummary): Promise<number> {
  if (session_id === null) return 0
  const from = Math.max(0, (await holdpoint.newestSeq(session_id)) - LAST.events)
  const events = await store.journal(session_id, from, LAST.events)
  const said = events.filter(({ kind }) => kind === 'model.answered' || kind.startsWith('message.'))
  const first = said.length < LAST.messages ? events[0] : said.at(-LAST.messages)
  return first ? first.seq - 1 : from
}

async function tellLeft({ io, json, given }: CommandContext, { holdpoint }: App, left: AgentSummary): Promise<number> {
  const agent = await holdpoint.agents.find(left.id)
  if (!json) io.err(`${standingText(agent)}${idleText(agent)}${nextText(agent, placeFlags(given))}`)
  return EXIT_OF[agent.status]
}

/** The clock of an idle agent begins when the last client leaves. */
function idleText({ status, interactive }: AgentSummary): string {
  if (status !== 'idle' || !interactive || interactive.idle_timeout_ms === 0) return ''
  const then = interactive.on_idle === 'park' ? 'parks' : 'ends'
  return `  Without a message it ${then} ${durationText(interactive.idle_timeout_ms)} after the last client left.\n`
}
