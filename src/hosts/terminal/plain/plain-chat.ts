/** `holdpoint chat --plain`: the chat as lines alone. */
import type { CommandContext } from '../../command/command.ts'
import { actor } from '../../process/actor.ts'
import { lastWords } from '../session/last-words.ts'
import { forkedSession, type OpenSession, openChat } from '../session/open-chat.ts'
import { checkSiteOf, runHere } from '../session/run-here.ts'
import { talkPlainly } from './talk-plainly.ts'
import { TypedLines } from './typed-lines.ts'

/** The last words of the chat. */
export async function talk(context: CommandContext, signal: AbortSignal): Promise<string> {
  const { io, env, directory } = context
  const { app, agents, greeting, ...first } = await openChat(context)
  io.out(greeting.map(text => `${text}\n`).join(''))
  await using opened = app
  using typed = new TypedLines()
  for (let session: OpenSession = first; ; ) {
    await using conversation = session.conversation
    const here = { app: opened, agents, conversation }
    const site = {
      ...{ io, env, directory, typed, person: actor(env), surface: 'terminal' },
      command: (words: readonly string[]) => runHere(context, () => checkSiteOf(here), words),
      journal: (id: string) => opened.journal(id),
    }
    const next = await talkPlainly(site, conversation, { ...session, signal })
    if (next === null) return lastWords(opened, conversation.sessionId, context)
    session = await forkedSession(opened, { sessionId: next, from: conversation }, context)
  }
}
