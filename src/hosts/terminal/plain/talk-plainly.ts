/**
 * One conversation as lines alone, for screen readers and terminals that cannot draw: each event once, decisions by slash
 * commands.
 */
import { onAbort } from '../../../async/on-abort.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { ApprovalBar } from '../bar/approval-bar.ts'
import { cardOf, factsOf, nameOf } from '../bar/card.ts'
import type { Left } from '../chat/chat.ts'
import { chatDeck, type DeckSite } from '../chat/chat-deck.ts'
import type { ChatHands, ChatState } from '../chat/chat-state.ts'
import { followInto, type Recalling } from '../chat/follow-into.ts'
import { sendDraft } from '../chat/send-draft.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { Draft } from '../draft/draft.ts'
import { type Line, line, lineText } from '../screen/line.ts'
import { Transcript } from '../transcript/transcript.ts'
import type { TypedLines } from './typed-lines.ts'

/** Nothing is cut: the terminal, or the reader, breaks lines. */
const COLUMNS = 10_000

export interface PlainSite extends DeckSite {
  readonly typed: TypedLines
  /** The name that signs, and where from. */
  readonly person: string
  readonly surface: string
}

/** Until the person leaves or goes to another session, or the signal is aborted. */
export async function talkPlainly(
  site: PlainSite,
  conversation: Conversation,
  { signal, ...from }: Recalling,
): Promise<Left> {
  const { typed, io } = site
  const left = Promise.withResolvers<Left>()
  using _stop = onAbort(signal, () => left.resolve(null))
  const hands = plainHands(site, conversation, session => left.resolve(session))
  const over = new AbortController()
  const told = new Set<string>()
  const tellNews = () => tellHolds(hands, told)
  const follows = followInto(
    { ...hands, conversation, print: lines => write(io, lines), redraw: tellNews, columns: () => COLUMNS },
    { ...from, signal: over.signal },
  )
  io.out(`${conversation.agent}${conversation.model === null ? '' : ` with ${conversation.model}`}\n`)
  typed.hear({
    line: text => {
      hands.state.draft.replace(text)
      sendDraft(hands)
      tellNotice(hands)
    },
    cut: () => io.out('The terminal cut that line, so it was not sent. Send several shorter messages.\n'),
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

function plainHands(site: PlainSite, conversation: Conversation, leave: (session: Left) => void): ChatHands {
  const now = () => performance.now()
  const state: ChatState = {
    draft: new Draft(),
    bar: new ApprovalBar(now),
    transcript: new Transcript(site.person, site.surface),
    notice: null,
    draftBegunAt: 0,
    warnedOf: null,
  }
  const print = (lines: readonly Line[]) => write(site.io, lines)
  const parts = { state, print, leave, conversation: () => conversation, columns: () => COLUMNS, away: once }
  const hands: ChatHands = {
    ...{ state, now, leave, commands: site.commands ?? [], suspend: () => {} },
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
