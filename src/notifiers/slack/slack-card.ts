/**
 * A notice as blocks of Slack. All that an agent wrote goes into `plain_text` and `rich_text`, in which Slack finds no
 * mention, link or format.
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
import type { Hold } from '../../core/hold/hold.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type ButtonAction, buttonName, writeButton } from '../../core/notice/notice-button.ts'
import { type NoticeOffer, offersOfPart } from '../../core/notice/notice-offers.ts'
import type { NoticeFact, NoticeText } from '../../core/notice/notice-text.ts'
import { previewInWords } from '../../core/notice/preview-text.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'

export interface SlackMessage {
  /** For notifications and screen readers. */
  readonly text: string
  readonly blocks: readonly JsonObject[]
}

export interface CardOptions {
  /** False if no clicks come back here: then it has a link alone. */
  readonly hasButtons: boolean
}

/** The limits of Slack, in characters and in elements. */
const MOST = { header: 150, text: 3_000, label: 75, confirm: 300, facts: 10, buttons: 20, value: 2_000 } as const

export function slackCard(notice: Notice, options: CardOptions): SlackMessage {
  const { text, hold, url } = notice
  const preview = previewInWords(hold)
  const bodies = [text.asks, text.arguments ?? '', preview.text ?? '']
  const isWhole = preview.isWhole && bodies.every(({ length }) => length <= MOST.text)
  const blocks = [
    { type: 'header', text: plain(cut(text.title, MOST.header)) },
    ...sections(text.outcome, text.lead, isInTitle(text) ? null : text.asks),
    ...(text.arguments === null ? [] : [preformatted(text.arguments)]),
    ...(preview.text === null ? [] : [preformatted(preview.text)]),
    ...sections(isWhole ? null : tooLong(hold, url)),
    ...(text.facts.length === 0 ? [] : [context(text.facts)]),
    ...actions(notice, { ...options, isWhole }),
  ]
  return { text: escaped(cut(summary(text), MOST.text)), blocks }
}

function isInTitle({ title, asks }: NoticeText): boolean {
  return title.length <= MOST.header && title.endsWith(`asks: ${asks}`)
}

interface Shown extends CardOptions {
  readonly isWhole: boolean
}

function actions({ text, hold, url }: Notice, { hasButtons, isWhole }: Shown): JsonObject[] {
  const offered = hold && hasButtons ? offersThatFit(text.offers, isWhole).flatMap(offer => button(hold, offer)) : []
  const elements = [...offered, ...(url === null ? [] : [link(url)])]
  return elements.length === 0 ? [] : [{ type: 'actions', elements }]
}

function summary({ title, outcome, lead }: NoticeText): string {
  return [title, outcome ?? lead].filter(each => each !== null).join('. ')
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

function button(hold: Hold, { verdict, label, value: answer, confirm }: NoticeOffer): JsonObject[] {
  const choice = answer === null ? null : (hold.choices?.indexOf(answer) ?? -1)
  const action = ACTION[verdict](choice !== null)
  const { id: hold_id, digest, level } = hold
  const value = writeButton({ hold_id, digest, level, choice })
  if (value.length > MOST.value) return []
  return [
    {
      ...{ type: 'button', action_id: buttonName(action, choice), value },
      text: plain(ASKS_FIRST.includes(action) ? `${label}…` : label),
      ...(STYLE[action] && { style: STYLE[action] }),
      ...(confirm !== null && { confirm: asksAgain(confirm, label) }),
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

function context(facts: readonly NoticeFact[]): JsonObject {
  const elements = facts.slice(0, MOST.facts).map(({ label, value }) => plain(cut(`${label}: ${value}`, MOST.text)))
  return { type: 'context', elements }
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
