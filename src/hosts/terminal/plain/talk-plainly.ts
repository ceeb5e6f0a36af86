/**
 * A conversation as lines alone, for screen readers and terminals that cannot draw: each event once, decisions by slash
 * commands.
 */
import { onAbort } from '../../../async/on-abort.ts'
import { NO_CHAT_SETTINGS } from '../../../core/settings/chat-settings.ts'
import { hearCtrlC } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { ApprovalBar } from '../bar/approval-bar.ts'
import { cardOf, factsOf, nameOf } from '../bar/card.ts'
import { chatDeck, type DeckDeps, eventsOf } from '../chat/chat-deck.ts'
import type { ChatContext, ChatState } from '../chat/chat-state.ts'
import { followInto, type Recalling } from '../chat/follow-into.ts'
import { sendDraft } from '../chat/send-draft.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { Draft } from '../draft/draft.ts'
import { type Line, line, lineText } from '../screen/flow.ts'
import { CommandMenu } from '../slash/command-menu.ts'
import type { Left } from '../slash/deck.ts'
import { Transcript } from '../transcript/transcript.ts'
import type { TypedLines } from './typed-lines.ts'

/** Nothing is cut: the terminal, or the reader, breaks lines. */
const COLUMNS = 10_000

interface PlainDeps extends DeckDeps {
  readonly typed: TypedLines
  /** The name that signs, and its surface. */
  readonly person: string
  readonly surface: string
}

/** Runs until the person leaves or switches to another session, or the signal is aborted. */
export async function talkPlainly(
  site: PlainDeps,
  conversation: Conversation,
  { signal, ...from }: Recalling,
): Promise<Left> {
  const { typed, io } = site
  const left = Promise.withResolvers<Left>()
  using _stop = onAbort(signal, () => left.resolve(null))
  const context = plainHands(site, conversation, to => left.resolve(to))
  context.state.settings = await site.settings()
  const earlier = from.since > 0 ? await eventsOf(site, conversation.sessionId) : []
  context.state.transcript.begins(earlier.filter(({ seq }) => seq <= from.since))
  const over = new AbortController()
  const told = new Set<string>()
  const tellNews = () => tellHolds(context, told)
  const follows = followInto(
    {
      ...context,
      conversation,
      print: lines => write(io, lines),
      redraw: tellNews,
      columns: () => COLUMNS,
      ring: () => context.state.settings.bell && io.out('\u0007'),
    },
    { ...from, signal: over.signal },
  )
  io.out(`${conversation.agent}${conversation.model === null ? '' : ` with ${conversation.model}`}\n`)
  using _ctrlC = hearCtrlC(() => {
    if (!conversation.stop()) left.resolve(null)
    else io.out('Stopping at a safe point. Ctrl+C again leaves.\n')
  })
  void sayLines(context, io, typed.texts(over.signal)).then(() => left.resolve(null), left.reject)
  try {
    return await Promise.race([left.promise, follows.then(() => null)])
  } finally {
    over.abort()
  }
}

/** Bytes of a line. A terminal that edits lines by itself drops what is beyond, and does not say so. */
const LONGEST_LINE = process.platform === 'darwin' ? 1023 : 4095

async function sayLines(context: ChatContext, io: Io, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    if (text.split('\n').some(each => Buffer.byteLength(each) >= LONGEST_LINE)) {
      io.out('The terminal cut that line, so it was not sent. Send several shorter messages.\n')
      continue
    }
    context.state.draft.replace(text)
    sendDraft(context)
    tellNotice(context)
  }
}

function plainHands(site: PlainDeps, conversation: Conversation, leave: (left: Left) => void): ChatContext {
  const now = () => performance.now()
  const state: ChatState = {
    draft: new Draft(),
    bar: new ApprovalBar(now),
    transcript: new Transcript(site.person, site.surface),
    menu: new CommandMenu(),
    settings: NO_CHAT_SETTINGS,
    notice: null,
    draftBegunAt: 0,
    warnedOf: null,
  }
  const print = (lines: readonly Line[]) => write(site.io, lines)
  const parts = { state, print, leave, conversation: () => conversation, columns: () => COLUMNS, away: once }
  const context: ChatContext = {
    ...{ state, now, leave, commands: site.commands ?? [], suspend: () => {} },
    deck: chatDeck(site, parts),
    conversation: async () => conversation,
    redraw: () => tellNotice(context),
  }
  return context
}

function write(io: Io, lines: readonly Line[]): void {
  io.out(lines.map(spans => `${lineText(spans)}\n`).join(''))
}

async function once(work: () => Promise<void>): Promise<void> {
  await work()
}

function tellNotice({ state, deck }: ChatContext): void {
  if (state.notice) deck.print([state.notice])
  state.notice = null
  state.draft.clear()
}

/** P9: each hold in full, once, with the commands that decide it. */
function tellHolds({ state, deck }: ChatContext, told: Set<string>): void {
  for (const hold of state.bar.holds) {
    const key = `${hold.id} ${hold.digest} ${hold.level}`
    if (told.has(key)) continue
    told.add(key)
    const card = cardOf(hold, null, COLUMNS)
    deck.conversation.shown([hold.id], card.left === 0).catch(() => {})
    const name = nameOf(hold)
    const how =
      hold.kind === 'question'
        ? 'Type the answer, or its number.'
        : `/approve ${name}, /deny ${name} WHY, or /edit ${name}`
    deck.print([
      line(`${name}: ${factsOf(hold, { now: systemClock.now(), rule: state.transcript.ruleOf(hold.id) })}`),
      ...card.rows,
      line(how),
    ])
  }
}
