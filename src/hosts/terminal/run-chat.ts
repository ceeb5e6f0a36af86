/** `holdpoint chat`: a conversation in this terminal. The first frame is drawn before anything is opened. */
import type { CommandContext } from '../command/command.ts'
import { canAsk } from '../display/ask-line.ts'
import { canRedraw } from '../display/live-lines.ts'
import { actor } from '../process/actor.ts'
import { exitCodeOf, watchForStop } from '../process/interruption.ts'
import { sessionRefusals } from '../refusals/session-refusals.ts'
import { Chat } from './chat/chat.ts'
import { flowed, type Line, line } from './screen/flow.ts'
import type { OpenSession } from './session/open-chat.ts'
import { checkSiteOf, type Here, runHere } from './session/run-here.ts'

export async function run(context: CommandContext): Promise<number> {
  const { io, env, given } = context
  if (context.json) throw sessionRefusals.noJson()
  if (!canAsk(io)) throw sessionRefusals.noTerminal()
  const isPlain = given.has('plain') || !canRedraw({ io, env: { ...env } })
  const { talk } = isPlain ? await import('./plain/plain-chat.ts') : { talk: chatHere }
  using stop = watchForStop()
  io.out(await talk(context, stop.signal))
  const signal = stop.stoppedBy()
  return signal === null ? 0 : exitCodeOf(signal)
}

/** The last words of a chat, once the terminal is as it was. */
async function chatHere(context: CommandContext, signal: AbortSignal): Promise<string> {
  const { io, env, directory } = context
  let here: Here | null = null
  using chat = new Chat({
    io,
    env,
    directory,
    stdin: process.stdin,
    person: actor(env),
    command: words => runHere(context, async () => here && checkSiteOf(here), words),
    journal: async id => (await here?.app.journal(id)) ?? [],
    settings: async () => (await import('../project/project.ts')).readConfig(directory, env),
  })
  const { nextSession, openChat } = await import('./session/open-chat.ts')
  const open = await chat.during(openChat(context))
  if (open === null) return ''
  await using opened = open.app
  chat.print(open.greeting.flatMap(text => flowed(line(`· ${text}`, 'dim'), io.width() - 1, '  ')))
  for (let session: OpenSession = open; ; ) {
    await using conversation = session.conversation
    here = { app: opened, agents: open.agents, conversation }
    const next = await chat.talk(conversation, { ...session, signal })
    const { lastWords } = await import('./session/app-on-demand.ts')
    const comesBack = next?.to === 'fork' ? '' : await lastWords(opened, conversation.sessionId, context)
    if (next === null) return comesBack
    if (next.to === 'new') chat.print([line(''), line('· a new session', 'dim'), ...linesOf(comesBack)])
    session = await nextSession(opened, { next, from: conversation }, context)
  }
}

function linesOf(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map(each => line(`  ${each}`, 'dim'))
}
