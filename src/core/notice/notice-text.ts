/**
 * The words of a notice on every channel. P9: all of it is shown, with invisible characters made visible. A channel
 * that has to cut anything offers no approval (`offersOfPart`).
 */
import { describeDue } from '../deadlines/describe-due.ts'
import type { Decision } from '../hold/decision.ts'
import { type Hold, riskOf } from '../hold/hold.ts'
import { approvalsNeeded } from '../hold/may-decide.ts'
import { taskLine } from '../hold-view/blocks/act-words.ts'
import { type HoldResult, resultLine } from '../hold-view/hold-result.ts'
import { holdOutcome, whoMayDecide } from '../hold-view/hold-words.ts'
import type { Outage } from '../run/outcome/outage.ts'
import { visibleLine } from '../text/visible-text.ts'
import { type EffectGroup, noticeBody } from './notice-body.ts'
import type { HoldNoticeEvent } from './notice-event.ts'
import { type NoticeOffer, noticeOffers } from './notice-offers.ts'

export interface NoticeFact {
  readonly label: string
  readonly value: string
}

/** A hold of a digest, or several that ask the same. */
export interface DigestLine {
  /** `deployer asks: Run npm test (due in 2 h)`, in one visible line. */
  readonly text: string
  /** The page of the hold, or of the first of several; `null` if the server has no address. */
  readonly url: string | null
  /** The hold, or the first of several. */
  readonly hold_id: string
}

/** A notice in words. None of them is escaped for a channel yet. */
export interface NoticeText {
  /** The title on one line, as the subject of a mail: `deployer asks: Run git push origin main`. */
  readonly title: string
  /** Who asks: `deployer asks`; `null` if nobody does. */
  readonly asker: string | null
  /** The act, or what the notice is about, on one line. */
  readonly act: string
  /** The task of the run, on one line; `null` if it is unknown. */
  readonly task: string | null
  /** Why it is sent now, in a sentence; `null` if the hold was just opened. */
  readonly lead: string | null
  /** What a person reads first: how much the call reaches, and what is odd about it. */
  readonly warnings: readonly string[]
  /** Words of the agent or of a tool; `null` if there are no others. */
  readonly words: string | null
  /** The effect and the arguments, in full. */
  readonly effect: readonly EffectGroup[]
  /** The holds of a digest. */
  readonly lines: readonly DigestLine[]
  readonly facts: readonly NoticeFact[]
  /** The answers that the person may give; empty once the hold is closed. */
  readonly offers: readonly NoticeOffer[]
  /** How it ended, with the name of the decider; `null` as long as it is open. */
  readonly outcome: string | null
  /** What came of the approved call, in a sentence; `null` if it did not run, or has not ended. */
  readonly result: { readonly isFailure: boolean; readonly text: string } | null
}

export interface NoticeOccasion {
  readonly event: HoldNoticeEvent
  /** The value of `NewNotice.about`. */
  readonly about: string
  readonly person: string | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** What the decision led to; `null` before it. */
  readonly result: HoldResult | null
}

export function noticeText(hold: Hold, occasion: NoticeOccasion): NoticeText {
  const isOpen = hold.status === 'open'
  const asker = `${visibleLine(hold.agent)} ${isOpen ? 'asks' : 'asked'}`
  const { act, warnings, words, effect } = noticeBody(hold)
  const result = resultOf(hold, occasion)
  return {
    title: result?.isFailure ? `Failed: ${act}` : `${isOpen ? riskMark(hold) : ''}${asker}: ${act}`,
    ...{ asker, act, words, effect, result },
    task: hold.task ? taskLine(hold.task) : null,
    lead: leadOf(hold, occasion),
    warnings: isOpen ? warnings : [],
    lines: [],
    facts: isOpen ? openFacts(hold, occasion.now) : [{ label: 'Hold', value: hold.id }],
    offers: isOpen ? noticeOffers(hold, occasion.person) : [],
    outcome: isOpen ? null : holdOutcome(hold),
  }
}

/** A notice that is about no hold alone. */
export const ABOUT_NO_HOLD = {
  ...{ asker: null, task: null, lead: null, words: null, outcome: null, result: null },
  ...{ warnings: [], effect: [], lines: [], facts: [], offers: [] },
} as const satisfies Partial<NoticeText>

export const TEST_TEXT: NoticeText = {
  ...ABOUT_NO_HOLD,
  title: 'A test of Holdpoint',
  act: 'A test of Holdpoint',
  words: 'Notices about holds will come here. Nothing waits, and there is nothing to do.',
}

/** The risk in words, in front of a title; empty if it is ordinary. */
export function riskMark(hold: Hold): string {
  const risk = riskOf(hold)
  if (risk === 'ordinary') return ''
  if (risk === 'high') return '[high risk] '
  if (hold.kind === 'in_doubt') return '[in doubt] '
  return hold.overrides_never ? '[policy says never] ' : '[refused before] '
}

/** The end of the call in a sentence: `What you approved failed after 2 s with exit 1.` */
export function resultOf(
  { decision }: Hold,
  { person, result }: Pick<NoticeOccasion, 'person' | 'result'>,
): NoticeText['result'] {
  if (decision === null || result === null || result.ended_at === null) return null
  const line = resultLine(result, decision.verdict)
  if (line === null) return null
  const isFailure = line.tone === 'bad'
  const text = isFailure ? line.text.replace(/^It /, `What ${approverIn(decision, person)} approved `) : line.text
  return { isFailure, text: visibleLine(text) }
}

function approverIn({ decided_by }: Decision, reader: string | null): string {
  return decided_by === reader ? 'you' : decided_by
}

/** A new event does not compile until there are words for it. */
const LEADS: Record<HoldNoticeEvent, (hold: Hold, occasion: NoticeOccasion) => string | null> = {
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
  ended: () => null,
}

function leadOf(hold: Hold, occasion: NoticeOccasion): string | null {
  const lead = LEADS[occasion.event](hold, occasion)
  return lead && visibleLine(lead)
}

/** The id and the digest come last: they help programs, and a person who looks for the hold elsewhere. */
function openFacts(hold: Hold, now: number): NoticeFact[] {
  const need = approvalsNeeded(hold)
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    ['Due', hold.due_at === null ? null : describeDue(hold, now)],
    ['Asked', hold.assignee],
    ['Approvals', need > 1 ? `${hold.votes.length} of ${need}` : null],
    ['May decide', whoMayDecide(hold)],
    ['Tool', hold.tool],
    ['Hold', hold.id],
    ['Digest', hold.digest],
  ]
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value: visibleLine(value) }]))
}

/** A run that waits for the provider of its model, as it is now. */
export interface WaitingRun {
  readonly id: string
  readonly thread_id: string
  readonly agent: string
  readonly outage: Outage
}

interface Reading {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The time zone of the reader, as its IANA name; `null` for that of this machine. */
  readonly zone: string | null
}

export function runNoticeText({ id, thread_id, agent, outage }: WaitingRun, reading: Reading): NoticeText {
  const title = visibleLine(`${agent} waits for the provider until ${zonedTime(outage.retry_at, reading)}`)
  return {
    ...ABOUT_NO_HOLD,
    ...{ title, act: title },
    words: visibleLine(`${outage.message} Nothing is to do: the run goes on once the provider takes requests.`),
    facts: [
      { label: 'Waits since', value: zonedTime(outage.since, reading) },
      { label: 'Run', value: id },
      { label: 'Session', value: thread_id },
    ],
  }
}

/** `14:05 CET`, with the date if it is another day: `31 Jan, 14:05 CET`. */
function zonedTime(at: string, { now, zone }: Reading): string {
  const timeZone = zone ?? undefined
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' })
  const time = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
  const clock = new Intl.DateTimeFormat('en-GB', time).format(new Date(at))
  const date = day.format(new Date(at))
  return date === day.format(new Date(now)) ? clock : `${date}, ${clock}`
}
