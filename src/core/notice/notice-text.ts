/**
 * The same words on every channel. P9: all of it is shown, with invisible characters made visible. A channel that has to
 * cut anything offers no approval (`offersOfPart`).
 */
import { describeDue } from '../deadlines/describe-due.ts'
import { type Hold, usualMessage } from '../hold/hold.ts'
import { approvalsNeeded } from '../hold/may-decide.ts'
import { holdRemarks } from '../hold-view/hold-remarks.ts'
import { holdOutcome, SAYS_NEVER, whoMayDecide } from '../hold-view/hold-words.ts'
import { visibleJson, visibleLine, visibleText } from '../text/visible-text.ts'
import type { NoticeEvent } from './notice-event.ts'
import { type NoticeOffer, noticeOffers } from './notice-offers.ts'

export interface NoticeFact {
  readonly label: string
  readonly value: string
}

/** A notice in words. None of them is escaped for a channel yet. */
export interface NoticeText {
  /** One line: `support asks: May refund run?` */
  readonly title: string
  /** Why it is sent now, in a sentence; `null` if the hold was just opened. */
  readonly lead: string | null
  /** The request, in full. */
  readonly asks: string
  /** The arguments in full, as JSON over several lines; `null` if there are none. */
  readonly arguments: string | null
  readonly facts: readonly NoticeFact[]
  /** The answers that the person may give; empty once the hold is closed. */
  readonly offers: readonly NoticeOffer[]
  /** How it ended, with the name of the decider; `null` as long as it is open. */
  readonly outcome: string | null
}

export interface NoticeOccasion {
  readonly event: NoticeEvent
  /** As `NewNotice.about`. */
  readonly about: string
  readonly person: string | null
  /** Milliseconds since 1970. */
  readonly now: number
}

export function noticeText(hold: Hold, occasion: NoticeOccasion): NoticeText {
  const isOpen = hold.status === 'open'
  return {
    title: `${visibleLine(hold.agent)} asks: ${visibleLine(asksInShort(hold))}`,
    lead: leadOf(hold, occasion),
    ...noticeRequest(hold),
    facts: isOpen ? openFacts(hold, occasion.now) : [{ label: 'Hold', value: hold.id }],
    offers: isOpen ? noticeOffers(hold, occasion.person) : [],
    outcome: isOpen ? null : holdOutcome(hold),
  }
}

/** The request in full. */
export function noticeRequest(
  hold: Pick<Hold, 'message' | 'tool' | 'arguments'>,
): Pick<NoticeText, 'asks' | 'arguments'> {
  const { arguments: args } = hold
  return { asks: visibleText(asksOf(hold)), arguments: args === null ? null : visibleJson(args) }
}

/** Of several holds at once. It offers nothing: each is decided for itself. */
export function digestText(holds: readonly Hold[]): NoticeText {
  const open = holds.filter(({ status }) => status === 'open')
  const shown = open.slice(0, MOST_LINES)
  const lines = shown.map(hold => `${hold.id} ${hold.agent}: ${shortened(asksInShort(hold))}`)
  const more = open.length - shown.length
  const count = (n: number) => `${n} ${n === 1 ? 'hold' : 'holds'}`
  return {
    title: open.length === 0 ? `${count(holds.length)}: all are closed` : `${count(open.length)} wait for you`,
    lead: open.length < holds.length ? `${holds.length - open.length} of ${holds.length} are closed.` : null,
    // Slack takes no empty text.
    asks: open.length === 0 ? 'Nothing is left to decide.' : linesOf(lines, more),
    arguments: null,
    facts: [],
    offers: [],
    outcome: open.length === 0 ? 'all are closed' : null,
  }
}

function linesOf(lines: readonly string[], more: number): string {
  return [...lines.map(visibleLine), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

export const TEST_TEXT: NoticeText = {
  title: 'A test of Holdpoint',
  lead: null,
  asks: 'Notices about holds will come here. Nothing waits, and there is nothing to do.',
  arguments: null,
  facts: [],
  offers: [],
  outcome: null,
}

/** Holds of a digest that are named one by one. */
const MOST_LINES = 20
const LONGEST_LINE = 120

function asksOf({ message, tool }: Pick<Hold, 'message' | 'tool'>): string {
  return message === '' ? usualMessage(tool ?? '') : message
}

/** The first line of the request. */
function asksInShort(hold: Hold): string {
  return shortened(asksOf(hold).split('\n', 1)[0] ?? '')
}

function shortened(text: string): string {
  const letters = [...text]
  return letters.length > LONGEST_LINE ? `${letters.slice(0, LONGEST_LINE - 1).join('')}…` : text
}

/** A new event does not compile until there are words for it. */
const LEADS: Record<NoticeEvent, (hold: Hold, occasion: NoticeOccasion) => string | null> = {
  opened: () => null,
  reminded: (_, { about }) => `Reminder ${about}: it still waits.`,
  escalated: ({ assignee }) => `Nobody decided in time, so it is escalated${assignee ? ` to ${assignee}` : ''}.`,
  assigned: ({ assignee }) => `It is assigned${assignee ? ` to ${assignee}` : ''}.`,
  unclear: () => 'Your answer was not understood, and nothing was recorded. Please answer again.',
  refused: hold =>
    hold.decision
      ? `Your decision did not count: it is already ${holdOutcome(hold)}.`
      : 'Your decision did not count. See who may decide.',
  voted: ({ votes, deciders }) => `${votes.length} of ${deciders?.quorum ?? 1} approvals.`,
  decided: hold => `It is ${holdOutcome(hold)}.`,
  expired: hold => `Its time is over: ${holdOutcome(hold)}.`,
  withdrawn: () => 'It is withdrawn: its run went on or ended without it.',
}

function leadOf(hold: Hold, occasion: NoticeOccasion): string | null {
  const lead = LEADS[occasion.event](hold, occasion)
  return lead && visibleLine(lead)
}

function openFacts(hold: Hold, now: number): NoticeFact[] {
  const need = approvalsNeeded(hold)
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    ['Warning', hold.overrides_never ? SAYS_NEVER : null],
    ['Warning', hold.destructive ? 'its effect cannot be taken back' : null],
    ...holdRemarks(hold).map(text => ['Note', text] as const),
    ['Tool', hold.tool],
    ['Asked', hold.assignee],
    ['Approvals', need > 1 ? `${hold.votes.length} of ${need}` : null],
    ['May decide', whoMayDecide(hold)],
    ['Due', hold.due_at === null ? null : describeDue(hold, now)],
    ['Digest', hold.digest],
    ['Hold', hold.id],
  ]
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value: visibleLine(value) }]))
}
