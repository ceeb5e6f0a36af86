/** A notice as Markdown of GitHub. An agent's words stand in code, in which GitHub finds no mention, link or HTML. */
import type { Hold } from '../../core/hold/hold.ts'
import { askedPeople } from '../../core/hold/may-decide.ts'
import { blockOfCode, inlineCode } from '../../core/notice/markdown-code.ts'
import { fitsComment, MOST_OF_COMMENT, requestInWords } from '../../core/notice/message-extent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type NoticeOffer, offersOfPart } from '../../core/notice/notice-offers.ts'

/** So that the whole is no longer than GitHub takes. */
const MOST = { mentions: 50, line: 1_000, commands: 4_000 } as const

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
  const isWhole = hold === null || fitsComment(hold)
  const request = hold === null ? text.asks : requestInWords(hold)
  const offers = isWhole ? text.offers : offersOfPart(text.offers)
  return [
    marker(notice),
    ...(text.outcome === null ? [] : [`**Done:** ${inlineCode(cut(text.outcome))}`]),
    ...(text.lead === null ? [] : [inlineCode(cut(text.lead))]),
    mentioned(notice, loginOf),
    inlineCode(cut(text.title)),
    blockOfCode(isWhole ? request : request.slice(0, MOST_OF_COMMENT)),
    ...(isWhole ? [] : ['This does not fit into a comment, and what is cut cannot be approved here.']),
    text.facts.map(({ label, value }) => `- ${label}: ${inlineCode(cut(value))}`).join('\n'),
    ...(hold ? howTo(hold, offers) : []),
    ...(url === null ? [] : [`[Open](${url})`]),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** GitHub notifies people of a mention in a new comment, and not of one in an edit. */
function mentioned({ hold }: Notice, loginOf: CommentOptions['loginOf']): string {
  if (hold?.status !== 'open') return ''
  const people = hold.assignee === null ? askedPeople(hold) : [hold.assignee]
  const logins = people.map(loginOf).filter(login => login !== null)
  return [...new Set(logins)]
    .slice(0, MOST.mentions)
    .map(login => `@${login}`)
    .join(' ')
}

/** The words of a comment that decide, for those who may. */
function howTo({ id }: Hold, offers: readonly NoticeOffer[]): string[] {
  const lines = offers.map(
    ({ verdict, label, value }) => `- ${COMMANDS[verdict](id, value === null ? null : label)}: ${inlineCode(label)}`,
  )
  if (lines.length === 0) return []
  const text = lines.join('\n')
  const shown =
    text.length <= MOST.commands ? text : `- ${COMMANDS.respond(id, null)}: one of its choices, word for word`
  return ['To decide, comment with one line:', shown]
}

const COMMANDS: Record<NoticeOffer['verdict'], (id: string, value: string | null) => string> = {
  approve: id => `\`/approve ${id}\``,
  reject: id => `\`/deny ${id} WHY\``,
  respond: (id, value) => inlineCode(`/answer ${id} ${value ?? 'TEXT'}`),
}

function cut(text: string): string {
  return text.length <= MOST.line ? text : `${text.slice(0, MOST.line)}…`
}
