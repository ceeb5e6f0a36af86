/** A notice as a mail: plain text first, and the same as HTML. Nothing in it is fetched, and nothing of it decides. */
import { fitsMail } from '../../core/notice/message-extent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { effectText } from '../../core/notice/notice-body.ts'
import { isLong, type MailBody, mailHtml, type NextStep } from './mail-html.ts'

export interface MailParts {
  /** A single address, never a list. */
  readonly to: string
  readonly from: string
  /** The address for answers; `null` if no answers are read. */
  readonly replyTo: string | null
  /** The page at which this person alone decides; `null` if there is none. */
  readonly link: string | null
  /** The id of the newest mail about the same hold; `null` if this is the first. */
  readonly earlierId: string | null
  /** The part of ids after the `@`. */
  readonly domain: string
}

/** The message in nodemailer's form. */
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
    html: mailHtml(notice.text.title, body).html,
  }
}

export function messageIdOf({ id }: Pick<Notice, 'id'>, domain: string): string {
  return `<${id}@${domain}>`
}

function bodyOf(notice: Notice, parts: MailParts): MailBody {
  const { text, event } = notice
  const isWhole = fitsWhole(notice)
  const isOpen = text.outcome === null
  const isAsked = event !== 'ended'
  return {
    ...text,
    words: isAsked ? wordsOf(text, isWhole) : null,
    effect: isAsked && isWhole ? text.effect : [],
    cut: isWhole || !isAsked ? null : IN_PART,
    link: isOpen && event !== 'test' ? parts.link : null,
    next: isOpen || !isAsked ? nextOf(notice, parts) : [],
  }
}

/** Characters of a request that is too long for a mail: enough to see what it is about. */
const LONGEST_PART = 2_000

function wordsOf({ words }: Notice['text'], isWhole: boolean): string | null {
  if (isWhole || words === null || words.length <= LONGEST_PART) return words
  return `${words.slice(0, LONGEST_PART)}… (cut)`
}

function fitsWhole({ hold }: Notice): boolean {
  return hold === null || fitsMail(hold)
}

const IN_PART = 'The rest is too long for a mail, or has an image. Look at it before you decide.'

function nextOf(notice: Notice, { replyTo }: MailParts): NextStep[] {
  const { hold, run, url, event } = notice
  if (event === 'test') return []
  const all: readonly (NextStep | false)[] = [
    replyTo !== null && hold !== null && replyHint(notice),
    url !== null && { text: event === 'digest' ? 'All that waits:' : 'Its page, if you sign in:', url },
    (hold ?? run) !== null && { text: `On a command line: holdpoint show ${(hold ?? run)?.id}`, url: null },
  ]
  return all.filter(each => each !== false)
}

/** Words that count are offered only if the mail shows what they release. */
function replyHint(notice: Notice): NextStep | false {
  const { offers } = notice.text
  const verdicts = offers.map(({ verdict }) => verdict)
  const approve = fitsWhole(notice) ? offers.find(({ verdict }) => verdict === 'approve') : undefined
  const words = [
    ...(approve ? [`\`${['approve', approve.typed ?? ''].join(' ').trim()}\``] : []),
    ...(verdicts.includes('respond') ? ['your answer'] : []),
    ...(verdicts.includes('reject') ? ['`deny: why`'] : []),
  ]
  return (
    words.length > 0 && {
      text: `Or reply to this mail with ${words.join(', or with ')}, above all other text.`,
      url: null,
    }
  )
}

function asText({ lead, asker, act, task, warnings, words, effect, cut, ...body }: MailBody): string {
  const { outcome, result, lines, link, facts, next } = body
  const links = link && `${LINK_HINT}\n${link}`
  const parts = [
    result?.text ?? null,
    lead,
    asker === null ? act : `${asker}:\n\n${setIn([act, task].filter(each => each !== null).join('\n'))}`,
    warnings.map(warning => `Warning: ${warning}`).join('\n'),
    isLong(effect) ? links : null,
    asker === null || words === null ? words : setIn(words),
    setIn(effectText(effect)),
    cut,
    lines.map(({ text, url, hold_id }) => `- ${text}\n  ${url ?? `holdpoint show ${hold_id}`}`).join('\n\n'),
    outcome && `It is ${outcome}.`,
    isLong(effect) ? null : links,
    ...next.map(({ text, url }) => (url === null ? text : `${text}\n${url}`)),
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
  ]
  return `${parts.filter(part => part !== null && part.trim() !== '').join('\n\n')}\n`
}

const LINK_HINT = 'Decide with your link (it counts once: do not pass this mail on):'

/** Indents words of an agent: they cannot look like a line of ours, nor like a quotation mark or a signature. */
function setIn(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ')
}
