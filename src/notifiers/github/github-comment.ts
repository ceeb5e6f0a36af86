/** A notice as Markdown of GitHub. Whatever an agent wrote stands in code, in which GitHub finds no mention, link or HTML. */
import type { Hold } from '../../core/hold/hold.ts'
import { askedPeople } from '../../core/hold/may-decide.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type NoticeOffer, offersOfPart } from '../../core/notice/notice-offers.ts'
import { previewInWords } from '../../core/notice/preview-text.ts'

/** GitHub takes 65,536 characters. Other texts of ours have room beside the request. */
const LONGEST_CODE = 50_000

export interface CommentOptions {
  /** The login of a person; `null` if the project knows none. */
  readonly loginOf: (person: string) => string | null
}

/** Invisible in the comment: finds it again after a try that ended without an answer. */
export function marker({ id }: Pick<Notice, 'id'>): string {
  return `<!-- holdpoint ${id} -->`
}

export function gitHubComment(notice: Notice, { loginOf }: CommentOptions): string {
  const { text, hold, url } = notice
  const preview = previewInWords(hold)
  const request = [text.asks, text.arguments, preview.text].filter(each => each !== null).join('\n\n')
  const isWhole = preview.isWhole && request.length <= LONGEST_CODE
  const offers = isWhole ? text.offers : offersOfPart(text.offers)
  return [
    marker(notice),
    ...(text.outcome === null ? [] : [`**Done:** ${inline(text.outcome)}`]),
    ...(text.lead === null ? [] : [inline(text.lead)]),
    mentioned(notice, loginOf),
    inline(text.title),
    fenced(isWhole ? request : request.slice(0, LONGEST_CODE)),
    ...(isWhole ? [] : ['This does not fit into a comment, and what is cut cannot be approved here.']),
    text.facts.map(({ label, value }) => `- ${label}: ${inline(value)}`).join('\n'),
    ...(hold ? howTo(hold, offers) : []),
    ...(url === null ? [] : [`[Open](${url})`]),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** GitHub tells those who are mentioned in a new comment, and nobody of an edit. */
function mentioned({ hold }: Notice, loginOf: CommentOptions['loginOf']): string {
  if (hold?.status !== 'open') return ''
  const people = hold.assignee === null ? askedPeople(hold) : [hold.assignee]
  const logins = people.map(loginOf).filter(login => login !== null)
  return [...new Set(logins)].map(login => `@${login}`).join(' ')
}

/** The words of a comment that decide, for those who may. */
function howTo({ id }: Hold, offers: readonly NoticeOffer[]): string[] {
  const lines = offers.map(({ verdict, label, value }) => `- ${COMMANDS[verdict](id, value)}: ${inline(label)}`)
  return lines.length === 0 ? [] : ['To decide, comment with one line:', lines.join('\n')]
}

const COMMANDS: Record<NoticeOffer['verdict'], (id: string, value: string | null) => string> = {
  approve: id => `\`/approve ${id}\``,
  reject: id => `\`/deny ${id} WHY\``,
  respond: (id, value) => inline(`/answer ${id} ${value ?? 'TEXT'}`),
}

/** Longer than any run of backticks within. */
function fenced(text: string): string {
  const fence = longest(text, 3)
  return `${fence}\n${text}\n${fence}`
}

function inline(text: string): string {
  const tick = longest(text, 1)
  return `${tick} ${text.replaceAll('\n', ' ')} ${tick}`
}

function longest(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? []
  return '`'.repeat(Math.max(least, ...runs.map(run => run.length + 1)))
}
