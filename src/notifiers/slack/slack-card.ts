/**
 * A notice as blocks of Slack. All that an agent wrote goes into `plain_text` and `rich_text`, in which Slack finds no
 * mention, link or format.
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
import type { Hold } from '../../core/hold/hold.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type EffectGroup, effectText, noticeBody } from '../../core/notice/notice-body.ts'
import { type ButtonAction, buttonName, writeButton } from '../../core/notice/notice-button.ts'
import { type NoticeOffer, offersOfPart } from '../../core/notice/notice-offers.ts'
import type { NoticeText } from '../../core/notice/notice-text.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'

export interface SlackMessage {
  /** The text for notifications and screen readers. */
  readonly text: string
  readonly blocks: readonly JsonObject[]
}

export interface CardOptions {
  /** False if no clicks come back here: then it has a link alone. */
  readonly hasButtons: boolean
}

/** The limits of Slack, in characters and in elements. */
const MOST = { header: 150, text: 3_000, label: 75, confirm: 300, facts: 10, buttons: 20, value: 2_000 } as const
/** Of 50 blocks, those that a message needs for the rest. */
const MOST_GROUPS = 40

export function slackCard(notice: Notice, options: CardOptions): SlackMessage {
  const { text, hold, url } = notice
  const isWhole = hold === null || fits(hold)
  const offers = hold && options.hasButtons ? offersThatFit(text.offers, isWhole) : []
  const blocks = [
    ...headed(text.act),
    ...contextOf(taskOf(text)),
    ...sections(endOf(text), text.lead, warningsOf(text)),
    ...listed(text.lines),
    ...sections(text.words),
    ...groupsWithout(offers, text).map(group => preformatted(effectText([group]))),
    ...sections(isWhole ? null : tooLong(hold, url)),
    ...actions(notice, offers),
    ...contextOf(text.facts.map(({ label, value }) => `${label}: ${value}`)),
  ]
  return { text: escaped(cut(summary(text), MOST.text)), blocks }
}

/** P9: true if the message shows all that an approval releases. */
function fits(hold: Hold): boolean {
  const { warnings, words, effect, isWhole } = noticeBody(hold)
  const texts = [warnings.join('\n'), words ?? '', ...effect.map(group => effectText([group]))]
  return isWhole && effect.length <= MOST_GROUPS && texts.every(({ length }) => length <= MOST.text)
}

/** A long title would be cut, and it may be all that a message says of the call. */
function headed(act: string): JsonObject[] {
  return act.length <= MOST.header ? [{ type: 'header', text: plain(act) }] : sections(act)
}

function taskOf({ asker, task }: NoticeText): string[] {
  return [asker, task].filter(each => each !== null)
}

/** How it ended: who decided, and what came of it. */
function endOf({ asker, outcome, result }: NoticeText): string | null {
  // The title of a digest says it.
  if (outcome === null || asker === null) return null
  return [`It is ${outcome}.`, result?.text ?? ''].join('\n').trim()
}

function warningsOf({ warnings }: NoticeText): string | null {
  return warnings.length === 0 ? null : warnings.map(warning => `\u26a0 ${warning}`).join('\n')
}

/** Choices that are buttons are not listed as well. */
function groupsWithout(offers: readonly NoticeOffer[], { effect }: NoticeText): readonly EffectGroup[] {
  const isOffered = offers.some(({ value }) => value !== null)
  return effect.slice(0, MOST_GROUPS).filter(({ type }) => !(isOffered && type === 'choices'))
}

function actions({ hold, url }: Notice, offers: readonly NoticeOffer[]): JsonObject[] {
  const offered = hold ? offers.flatMap(offer => button(hold, offer)) : []
  const elements = [...offered, ...(url === null ? [] : [link(url)])]
  return elements.length === 0 ? [] : [{ type: 'actions', elements }]
}

function summary({ title, outcome, result, lead }: NoticeText): string {
  return [title, result?.text ?? outcome ?? lead].filter(each => each !== null).join('. ')
}

/** P9: without the whole request there is nothing to approve. Choices that do not fit are answered elsewhere, all of them. */
function offersThatFit(offers: readonly NoticeOffer[], isWhole: boolean): readonly NoticeOffer[] {
  const fits = offers.length <= MOST.buttons && offers.every(({ label }) => label.length <= MOST.label)
  return isWhole && fits ? offers : offersOfPart(offers)
}

function tooLong(hold: Hold | null, url: string | null): string {
  const where = url === null ? `Run \`holdpoint show ${hold?.id ?? ''}\`` : 'Open it'
  return `This does not fit into a message, and what is cut cannot be approved here. ${where} to see all of it, and to approve.`
}

function button(hold: Hold, { verdict, label, value: answer, confirm, typed }: NoticeOffer): JsonObject[] {
  const choice = answer === null ? null : (hold.choices?.indexOf(answer) ?? -1)
  const action = ACTION[verdict](choice !== null)
  const { id: hold_id, digest, level } = hold
  const value = writeButton({ hold_id, digest, level, choice })
  if (value.length > MOST.value) return []
  return [
    {
      ...{ type: 'button', action_id: buttonName(action, choice), value },
      text: plain(ASKS_FIRST.includes(action) || typed !== null ? `${label}…` : label),
      ...(STYLE[action] && { style: STYLE[action] }),
      // An override asks in a window of its own, in which a word is typed.
      ...(confirm !== null && typed === null && { confirm: asksAgain(confirm, label) }),
    },
  ]
}

const ACTION: Record<NoticeOffer['verdict'], (isChoice: boolean) => ButtonAction> = {
  approve: () => 'approve',
  reject: () => 'reject',
  respond: isChoice => (isChoice ? 'choose' : 'answer'),
}

const ASKS_FIRST: readonly ButtonAction[] = ['reject', 'answer']
const STYLE: Readonly<Partial<Record<ButtonAction, string>>> = { approve: 'primary', reject: 'danger' }

function asksAgain(text: string, label: string): JsonObject {
  return {
    title: plain('Are you sure?'),
    text: plain(cut(text, MOST.confirm)),
    confirm: plain(label),
    deny: plain('Cancel'),
    style: 'danger',
  }
}

function link(url: string): JsonObject {
  return { type: 'button', action_id: buttonName('open'), text: plain('Open'), url }
}

function sections(...texts: readonly (string | null)[]): JsonObject[] {
  return texts.flatMap(text => (text === null ? [] : [{ type: 'section', text: plain(cut(text, MOST.text)) }]))
}

function preformatted(text: string): JsonObject {
  const elements: Json = [{ type: 'text', text: cut(text, MOST.text) }]
  return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements }] }
}

function contextOf(texts: readonly string[]): JsonObject[] {
  if (texts.length === 0) return []
  return [{ type: 'context', elements: texts.slice(0, MOST.facts).map(text => plain(cut(text, MOST.text))) }]
}

/** Slack reads no format in these texts, and follows the links alone. */
function listed(lines: NoticeText['lines']): JsonObject[] {
  if (lines.length === 0) return []
  const elements = lines.map(({ text, url, hold_id }) => ({
    type: 'rich_text_section',
    elements: [
      url === null ? { type: 'text', text: `${text}: holdpoint show ${hold_id}` } : { type: 'link', url, text },
    ],
  }))
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements }] }]
}

function plain(text: string): JsonObject {
  return { type: 'plain_text', text, emoji: false }
}

/** In whole characters. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The text for notifications is the one that Slack would read for mentions and links. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
