/** A notice as a mail: plain text first, and the same as HTML. Nothing in it is fetched, and nothing of it decides. */
import { previewLines } from '../../core/hold-view/preview-lines.ts'
import { fitsMail } from '../../core/notice/message-extent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type Html, html } from '../../core/text/html.ts'

export interface MailParts {
  /** One address, and no list of them. */
  readonly to: string
  readonly from: string
  /** The address for answers; `null` if no answers are read. */
  readonly replyTo: string | null
  /** The page at which this person alone decides; `null` if there is none. */
  readonly link: string | null
  /** Of the newest mail about the same hold; `null` if this is the first. */
  readonly earlierId: string | null
  /** Behind the `@` of ids. */
  readonly domain: string
}

/** As nodemailer takes it. */
export interface MailMessage {
  readonly from: string
  readonly to: { readonly name: string; readonly address: string }
  readonly replyTo?: string
  readonly subject: string
  readonly messageId: string
  readonly references?: readonly string[]
  readonly inReplyTo?: string
  readonly date: Date
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string
}

/** Programs answer such mails with nothing, and people can sort them. */
function headersOf(domain: string): MailMessage['headers'] {
  return {
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'List-Id': `Holds of Holdpoint <holds.${domain}>`,
  }
}

/** The id is the same however often the notice is sent, so mail programs show a repeat once. */
export function mailMessage(notice: Notice, parts: MailParts): MailMessage {
  const { to, from, replyTo, earlierId, domain } = parts
  const body = bodyOf(notice, parts)
  const thread = notice.hold ? [`<${notice.hold.id}@${domain}>`] : []
  const references = [...thread, ...(earlierId ? [earlierId] : [])]
  return {
    from,
    to: { name: '', address: to },
    ...(replyTo && { replyTo }),
    subject: notice.text.title,
    messageId: messageIdOf(notice, domain),
    ...(references.length > 0 && { references }),
    ...(earlierId && { inReplyTo: earlierId }),
    date: new Date(notice.at),
    headers: headersOf(domain),
    text: asText(body),
    html: asHtml(notice.text.title, body).html,
  }
}

export function messageIdOf({ id }: Pick<Notice, 'id'>, domain: string): string {
  return `<${id}@${domain}>`
}

/** The mail in its parts, for both forms. */
interface Body {
  readonly lead: string | null
  readonly asks: string
  readonly blocks: readonly { readonly title: string; readonly text: string }[]
  readonly facts: readonly { readonly label: string; readonly value: string }[]
  readonly outcome: string | null
  readonly next: readonly Next[]
}

interface Next {
  readonly text: string
  readonly url: string | null
}

function bodyOf(notice: Notice, parts: MailParts): Body {
  const { lead, facts, outcome } = notice.text
  const asks = isWhole(notice) ? notice.text.asks : shortened(notice.text.asks)
  return { lead, asks, blocks: blocksOf(notice), facts, outcome, next: outcome === null ? nextOf(notice, parts) : [] }
}

/** Characters of a request that is too long for a mail: enough to see what it is about. */
const LONGEST_PART = 2_000

function shortened(text: string): string {
  return text.length <= LONGEST_PART ? text : `${text.slice(0, LONGEST_PART)}… (cut)`
}

function blocksOf(notice: Notice): Body['blocks'] {
  const { hold, text } = notice
  if (!isWhole(notice)) return []
  const preview = hold?.preview ? previewLines(hold.preview).map(line => line.text) : []
  return [
    ...(text.arguments === null ? [] : [{ title: 'Arguments, in full', text: text.arguments }]),
    ...(preview.length === 0 ? [] : [{ title: 'What it would do', text: preview.join('\n') }]),
  ]
}

function isWhole({ hold }: Notice): boolean {
  return hold === null || fitsMail(hold)
}

function nextOf(notice: Notice, { link, replyTo }: MailParts): Next[] {
  const { hold, url, event } = notice
  if (event === 'test') return []
  const all: readonly (Next | false)[] = [
    !isWhole(notice) && { text: IN_PART, url: null },
    link !== null && { text: 'Look at it and decide (your link: it counts once, do not pass it on):', url: link },
    replyTo !== null && hold !== null && replyHint(notice),
    url !== null && { text: event === 'digest' ? 'All of them:' : 'Its page, for all who sign in:', url },
    hold !== null && { text: `On a command line: holdpoint show ${hold.id}`, url: null },
  ]
  return all.filter(each => each !== false)
}

const IN_PART =
  'What it would run is too long for a mail, or has an image, so none of it is here. Look at it before you decide.'

/** Words that count are offered only if the mail shows what they release. */
function replyHint(notice: Notice): Next | false {
  const verdicts = notice.text.offers.map(({ verdict }) => verdict)
  const words = [
    ...(verdicts.includes('approve') && isWhole(notice) ? ['`approve`'] : []),
    ...(verdicts.includes('reject') ? ['`deny: why`'] : []),
    ...(verdicts.includes('respond') ? ['your answer'] : []),
  ]
  return (
    words.length > 0 && { text: `Or answer this mail with ${words.join(', or ')}, above everything else.`, url: null }
  )
}

function asText({ lead, asks, blocks, facts, outcome, next }: Body): string {
  const parts = [
    lead,
    setIn(asks),
    ...blocks.map(({ title, text }) => `${title}:\n\n${setIn(text)}`),
    outcome && `It is ${outcome}.`,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...next.map(({ text, url }) => (url === null ? text : `${text}\n${url}`)),
  ]
  return `${parts.filter(part => part !== null && part !== '').join('\n\n')}\n`
}

/** Indents words of an agent: they cannot look like a line of ours, nor like a quotation mark or a signature. */
function setIn(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

function asHtml(title: string, { lead, asks, blocks, facts, outcome, next }: Body): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:46rem">
${lead === null ? null : html`<p><strong>${lead}</strong></p>`}
<pre style="${PRE}">${asks}</pre>
${blocks.map(({ title: name, text }) => html`<p>${name}:</p><pre style="${PRE}">${text}</pre>`)}
${outcome === null ? null : html`<p>It is ${outcome}.</p>`}
<table>${facts.map(({ label, value }) => html`<tr><td style="padding-right:1rem">${label}</td><td>${value}</td></tr>`)}</table>
${next.map(each => html`<p>${each.text}${each.url === null ? null : html`<br><a href="${each.url}">${each.url}</a>`}</p>`)}
</body></html>
`
}

const PRE = 'font:14px/1.5 monospace;white-space:pre-wrap;border:1px solid #999;padding:.75rem'
