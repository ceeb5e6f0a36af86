/** The chat over the socket of an agent: the same screen as that of `holdpoint chat`, or its lines. */
import type { CommandContext } from '../../command/command.ts'
import { readConfig } from '../../project/project.ts'
import { Chat } from '../chat/chat.ts'
import type { Recalling } from '../chat/follow-into.ts'
import { talkPlainly } from '../plain/talk-plainly.ts'
import { TypedLines } from '../plain/typed-lines.ts'
import { flowed, line } from '../screen/flow.ts'
import { runHere } from '../session/run-here.ts'
import type { Left, SlashCommand } from '../slash/deck.ts'
import { AttachedConversation } from './attached-conversation.ts'
import type { AttachedAgent, AttachedSite } from './attached-site.ts'

/** An agent, and where its conversation begins on the screen. */
export interface Attaching {
  readonly agent: AttachedAgent
  /** The last `seq` that is not shown again. */
  readonly since: number
  /** Up to this `seq` events are on the screen already; 0 if none are. */
  readonly recalled: number
}

interface AttachedTalk {
  readonly first: Attaching
  /** How it goes on with a fork: by the id of the new agent. */
  readonly next: (agentId: string) => Promise<Attaching>
  readonly signal: AbortSignal
}

/** A terminal that draws, or one that has lines alone. */
interface Face {
  tell(text: string): void
  talk(conversation: AttachedConversation, from: Recalling): Promise<Left>
}

/** Until the person leaves or has ended the agent, or the signal is aborted. Resolves to the agent that was there last. */
export async function attachChat(
  context: CommandContext,
  site: AttachedSite,
  talk: AttachedTalk,
): Promise<AttachedAgent> {
  let current: AttachedConversation
  using chat = new Chat({
    ...deckOf(context, site, () => current),
    stdin: process.stdin,
    commands: attachedCommands(() => current),
  })
  return await talkOn(site, talk, {
    tell: text => chat.print(flowed(line(`· ${text}`, 'dim'), context.io.width() - 1, '  ')),
    talk: (conversation, from) => {
      current = conversation
      return chat.talk(conversation, from)
    },
  })
}

/** The same as lines alone. */
export async function attachPlainly(
  context: CommandContext,
  site: AttachedSite,
  talk: AttachedTalk,
): Promise<AttachedAgent> {
  using typed = new TypedLines()
  return await talkOn(site, talk, {
    tell: text => context.io.out(`· ${text}\n`),
    talk: async (conversation, from) => {
      using _standing = tellStanding(context, conversation)
      const commands = attachedCommands(() => conversation)
      return await talkPlainly({ ...deckOf(context, site, () => conversation), typed, commands }, conversation, from)
    },
  })
}

function deckOf(context: CommandContext, site: AttachedSite, current: () => AttachedConversation) {
  const { io, env, directory } = context
  const { person, surface, journal, checks } = site
  return {
    ...{ io, env, directory, person, surface },
    command: (words: readonly string[]) => runHere(context, () => checks(current().sessionId), words),
    journal: (id: string) => journal(id, 0),
    settings: () => readConfig(directory, env),
  }
}

async function talkOn(site: AttachedSite, { first, next, signal }: AttachedTalk, face: Face): Promise<AttachedAgent> {
  face.tell(`/help lists the commands; /end ends ${first.agent.called}, Ctrl+D leaves and it goes on.`)
  for (let at = first; ; ) {
    await using conversation = new AttachedConversation(site, at.agent, text => face.tell(text))
    const left = await face.talk(conversation, { ...at, signal })
    // An agent in the background has one session: `/clear` is refused there.
    if (left?.to !== 'fork') return at.agent
    at = await next(left.session)
  }
}

/** Lines have no status line: that the agent came to rest is told once. */
function tellStanding({ io }: CommandContext, conversation: AttachedConversation): Disposable {
  let before: string | null = null
  return conversation.onPresence(() => {
    const { work, standing } = conversation.presence()
    const now = work === 'none' ? standing : null
    if (now === 'idle' && now !== before) io.out(`· ${conversation.agent} is idle\n`)
    before = now
  })
}

/** Slash commands that only an attached chat has. */
function attachedCommands(attached: () => AttachedConversation): readonly SlashCommand[] {
  return [
    { name: 'detach', usage: '', does: 'leave; the agent goes on', run: async deck => deck.leave(null) },
    { name: 'end', usage: '', does: 'end the agent once its turn is over, and leave', run: () => attached().end() },
    { name: 'writer', usage: '', does: 'take over the right to send messages', run: () => attached().takeWriter() },
    { name: 'resume', usage: '', does: 'go on with an agent that crashed', run: () => attached().resume() },
  ]
}
