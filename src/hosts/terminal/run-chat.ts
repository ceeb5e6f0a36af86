/** `holdpoint chat`: a conversation in this terminal. The first frame is drawn before anything is opened. */
import { RefusedError } from '../../core/errors.ts'
import type { CommandContext } from '../command/command.ts'
import { canAsk } from '../display/ask-line.ts'
import { canRedraw } from '../display/live-lines.ts'
import { actor } from '../process/actor.ts'
import { exitCodeOf, watchForStop } from '../process/interruption.ts'
import { Chat } from './chat/chat.ts'
import { flowed } from './screen/flow.ts'
import { line } from './screen/line.ts'
import type { OpenSession } from './session/open-chat.ts'
import { checkSiteOf, type Here, runHere } from './session/run-here.ts'

export async function run(context: CommandContext): Promise<number> {
  const { io, env, given } = context
  refuseElsewhere(context)
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
  })
  const { forkedSession, openChat } = await import('./session/open-chat.ts')
  const open = await chat.during(openChat(context))
  if (open === null) return ''
  await using opened = open.app
  chat.print(open.greeting.flatMap(text => flowed(line(`· ${text}`, 'dim'), io.width() - 1, '  ')))
  for (let session: OpenSession = open; ; ) {
    await using conversation = session.conversation
    here = { app: opened, agents: open.agents, conversation }
    const next = await chat.talk(conversation, { ...session, signal })
    if (next === null)
      return (await import('./session/last-words.ts')).lastWords(opened, conversation.sessionId, context)
    session = await forkedSession(opened, { sessionId: next, from: conversation }, context)
  }
}

/** @throws RefusedError */
function refuseElsewhere({ io, json }: CommandContext): void {
  if (json)
    throw new RefusedError('invalid_arguments', 'A chat is for a person at a terminal, so it has no JSON.', {
      hint: 'A program runs `holdpoint -a -o stream-json "…"`, or speaks to `holdpoint serve`.',
    })
  if (!canAsk(io))
    throw new RefusedError('no_terminal', 'A chat needs a terminal, and this is none.', {
      hint: 'Without one, run `holdpoint -a "…"`.',
    })
}
