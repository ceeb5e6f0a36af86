/**
 * The chat as lines alone, for screen readers and terminals that cannot draw: each event once, decisions by slash commands.
 */
import { createInterface } from 'node:readline'
import { onAbort } from '../../../async/on-abort.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { ApprovalBar } from '../bar/approval-bar.ts'
import { cardRows, factsOf } from '../bar/card.ts'
import { chatDeck } from '../chat/chat-deck.ts'
import type { ChatHands, ChatState } from '../chat/chat-state.ts'
import { followInto } from '../chat/follow-into.ts'
import { sendDraft } from '../chat/send-draft.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { Draft } from '../draft/draft.ts'
import { type Line, line, lineText } from '../screen/line.ts'
import { forkedSession, lastWords, type OpenSession, openChat } from '../session/open-chat.ts'
import { runWithin } from '../session/run-within.ts'
import { Transcript } from '../transcript/transcript.ts'

/** Nothing is cut: the terminal, or the reader, breaks lines. */
const COLUMNS = 10_000

/** The last words of the chat. */
export async function talk(context: CommandContext, signal: AbortSignal): Promise<string> {
  const { app, greeting, ...first } = await openChat(context)
  context.io.out(greeting.map(text => `${text}\n`).join(''))
  await using opened = app
  using typed = new TypedLines()
  for (let session: OpenSession = first; ; ) {
    await using conversation = session.conversation
    const next = await talkIn({ context, app: opened, typed, conversation }, session, signal)
    if (next === null) return lastWords(opened, conversation.sessionId, context)
    session = await forkedSession(opened, next, context)
  }
}

interface Place {
  readonly context: CommandContext
  readonly app: App
  readonly typed: TypedLines
  readonly conversation: Conversation
}

async function talkIn(place: Place, { since, recalled }: OpenSession, signal: AbortSignal): Promise<string | null> {
  const { typed, conversation } = place
  const { io } = place.context
  const left = Promise.withResolvers<string | null>()
  using _stop = onAbort(signal, () => left.resolve(null))
  const hands = plainHands(place, session => left.resolve(session))
  const over = new AbortController()
  const told = new Set<string>()
  const tellNews = () => tellHolds(hands, told)
  const follows = followInto(
    { ...hands, conversation, print: lines => write(io, lines), redraw: tellNews, columns: () => COLUMNS },
    { since, recalled, signal: over.signal },
  )
  io.out(`${conversation.agent}${conversation.model === null ? '' : ` with ${conversation.model}`}\n`)
  typed.hear({
    line: text => {
      hands.state.draft.replace(text)
      sendDraft(hands)
      tellNotice(hands)
    },
    interrupt: () => {
      if (!conversation.stop()) left.resolve(null)
      else io.out('Stopping at a safe point. Ctrl+C again leaves.\n')
    },
    end: () => left.resolve(null),
  })
  try {
    return await Promise.race([left.promise, follows.then(() => null)])
  } finally {
    over.abort()
    typed.hear(null)
  }
}

function plainHands({ context, app, conversation }: Place, leave: (session: string | null) => void): ChatHands {
  const { io, env, directory } = context
  const now = () => performance.now()
  const state: ChatState = {
    draft: new Draft(),
    bar: new ApprovalBar(now),
    transcript: new Transcript(actor(env)),
    notice: null,
    draftBegunAt: 0,
    warnedOf: null,
  }
  const print = (lines: readonly Line[]) => write(io, lines)
  const site = {
    ...{ io, env, directory },
    command: (words: readonly string[]) => runWithin(context, words),
    journal: (id: string) => app.holdpoint.journal(id),
  }
  const parts = { state, print, leave, conversation: () => conversation, columns: () => COLUMNS, away: once }
  const hands: ChatHands = {
    ...{ state, now, leave, commands: [], suspend: () => {} },
    deck: chatDeck(site, parts),
    conversation: async () => conversation,
    redraw: () => tellNotice(hands),
  }
  return hands
}

function write(io: Io, lines: readonly Line[]): void {
  io.out(lines.map(spans => `${lineText(spans)}\n`).join(''))
}

async function once(work: () => Promise<void>): Promise<void> {
  await work()
}

function tellNotice({ state, deck }: ChatHands): void {
  if (state.notice) deck.print([state.notice])
  state.notice = null
  state.draft.clear()
}

/** P9: each hold in full, once, with the commands that decide it. */
function tellHolds({ state, deck }: ChatHands, told: Set<string>): void {
  for (const hold of state.bar.holds) {
    const key = `${hold.id} ${hold.digest} ${hold.level}`
    if (told.has(key)) continue
    told.add(key)
    deck.conversation.shown([hold.id], true).catch(() => {})
    const name = hold.call_id ?? hold.id
    const how =
      hold.kind === 'question'
        ? 'Type the answer, or its number.'
        : `/approve ${name}, /deny ${name} WHY, or /edit ${name}`
    deck.print([
      line(`${name}: ${factsOf(hold, { now: systemClock.now(), rule: state.transcript.ruleOf(hold.id) })}`),
      ...cardRows(hold, null, COLUMNS),
      line(how),
    ])
  }
}

interface Hears {
  readonly line: (text: string) => void
  readonly interrupt: () => void
  readonly end: () => void
}

/** Lines as the terminal gives them, each with its Enter. */
class TypedLines implements Disposable {
  readonly #lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '' })
  #hears: Hears | null = null

  constructor() {
    this.#lines
      .on('line', text => this.#hears?.line(text))
      .on('SIGINT', () => this.#hears?.interrupt())
      .on('close', () => this.#hears?.end())
  }

  hear(hears: Hears | null): void {
    this.#hears = hears
  }

  [Symbol.dispose](): void {
    this.#lines.close()
  }
}
