import { RefusedError } from '../../../core/errors.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { ChatSettings } from '../../../core/settings/chat-settings.ts'
import { visibleText } from '../../../core/text/visible-text.ts'
import { editByHand } from '../../asking/edit-hold.ts'
import type { Io } from '../../process/io.ts'
import { shellWord } from '../../process/shell-word.ts'
import type { Conversation, MessageMode } from '../conversation/conversation.ts'
import { completeName } from '../draft/complete-name.ts'
import { flowed, type Line, line, lineText } from '../screen/flow.ts'
import type { Deck, SlashCommand } from '../slash/deck.ts'
import { boundedLines, leftLines, wholeResult } from '../transcript/result-lines.ts'
import type { ChatState } from './chat-state.ts'

/** A host, as a chat needs it. */
export interface DeckDeps {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  /** The base of relative paths. */
  readonly directory: string
  /** Runs another command of Holdpoint; resolves to what it wrote. @throws RefusedError */
  readonly command: (words: readonly string[]) => Promise<string>
  /** The events of a session so far. */
  readonly journal: (sessionId: string) => Promise<readonly JournalEvent[]>
  /** How the chat was set. */
  readonly settings: () => Promise<ChatSettings>
  /** Slash commands in addition to those of every chat. */
  readonly commands?: readonly SlashCommand[]
}

interface DeckParts {
  readonly state: ChatState
  readonly conversation: () => Conversation | null
  readonly print: (lines: readonly Line[]) => void
  readonly leave: Deck['leave']
  readonly columns: () => number
  /** Gives the terminal to another program meanwhile. */
  readonly away: (work: () => Promise<void>) => Promise<void>
}

export function chatDeck(site: DeckDeps, parts: DeckParts): Deck {
  const talking = (): Conversation => {
    const conversation = parts.conversation()
    if (conversation === null) throw new Error('no session is open yet')
    return conversation
  }
  const print = (lines: readonly Line[]) => {
    parts.state.transcript.interrupt()
    parts.print(lines.flatMap(each => flowed(each, parts.columns(), hanging(each))))
  }
  return {
    get conversation() {
      return talking()
    },
    commands: site.commands ?? [],
    holds: () => parts.state.bar.holds,
    columns: parts.columns,
    events: () => eventsOf(site, talking().sessionId),
    get spending() {
      return parts.state.transcript.spending
    },
    prices: () => parts.state.settings.prices ?? {},
    lastAnswer: () => parts.state.transcript.lastAnswer,
    print,
    leave: parts.leave,
    say: async (text, mode) => print(await said(talking(), text, mode)),
    complete: text => completeName(text, site.directory),
    edit: hold =>
      parts.away(async () => {
        const receipt = await editByHand(hold, {
          ...site,
          decide: args => talking().decide(hold, { verdict: 'edit', arguments: args }),
        })
        if (receipt === null) print([line('· its arguments are as they were; nothing was decided', 'dim')])
        else if (receipt.outcome === 'refused') throw receipt.error
      }),
    command: async (words, title = []) => {
      const { lines, left } = boundedLines((await site.command(words)).trimEnd())
      print(title)
      print(lines.map(text => line(`  ${visibleText(text)}`)))
      print(leftLines(left, ['holdpoint', ...words].map(shellWord).join(' ')))
    },
    result: async callId => {
      const { sessionId } = talking()
      const events = await eventsOf(site, sessionId)
      const event = events.findLast(({ kind, data }) => kind === 'call.finished' && data.call_id === callId)
      return event?.kind === 'call.finished' ? wholeResult(event.data, sessionId) : null
    },
    copy: text => site.io.out(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
  }
}

/** Sends a text with the files that it names. What the person should know of them, as lines. */
async function said(conversation: Conversation, text: string, mode: MessageMode): Promise<readonly Line[]> {
  const { namedParts } = await import('../../agents/named-files.ts')
  const parts = text.includes('@') ? await namedParts(text, await conversation.reading()) : []
  const warnings = await conversation.send({ text, parts, mode })
  return warnings.map(({ message, hint }) => line(`! ${message} ${hint}`, 'yellow'))
}

/** The blanks below the mark and the indent that a line begins with. */
function hanging(spans: Line): string {
  const [begin = ''] = /^\s*(?:[\u00b7!] )?/.exec(lineText(spans)) ?? []
  return ' '.repeat(begin.length)
}

/** A session has no events before its first message. */
export async function eventsOf(
  { journal }: Pick<DeckDeps, 'journal'>,
  sessionId: string,
): Promise<readonly JournalEvent[]> {
  try {
    return await journal(sessionId)
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_session') return []
    throw thrown
  }
}
