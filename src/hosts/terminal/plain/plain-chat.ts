/** `holdpoint chat --plain`: the chat as lines alone. */
import type { CommandContext } from '../../command/command.ts'
import { actor } from '../../process/actor.ts'
import { readConfig } from '../../project/project.ts'
import { lastWords } from '../session/app-on-demand.ts'
import { nextSession, type OpenSession, openChat } from '../session/open-chat.ts'
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
      settings: () => readConfig(directory, env),
    }
    const next = await talkPlainly(site, conversation, { ...session, signal })
    const comesBack = next?.to === 'fork' ? '' : await lastWords(opened, conversation.sessionId, context)
    if (next === null) return comesBack
    if (next.to === 'new') io.out(`a new session\n${comesBack}`)
    session = await nextSession(opened, { next, from: conversation }, context)
  }
}
