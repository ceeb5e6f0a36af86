/** Comments on an issue or a pull request, which are edited once something changed. */

import type { Hold } from '../../core/hold/hold.ts'
import { askedPeople } from '../../core/hold/may-decide.ts'
import { blockOfCode, inlineCode } from '../../core/notice/markdown-code.ts'
import { fitsComment, MOST_OF_COMMENT } from '../../core/notice/message-extent.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { type EffectGroup, effectText } from '../../core/notice/notice-body.ts'
import { type NoticeOffer, offersOfPart } from '../../core/notice/notice-offers.ts'
import type { NoticeText } from '../../core/notice/notice-text.ts'
import { isJsonObject } from '../../core/text/json.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import type { GitHubApi } from './github-api.ts'

type Context = Pick<SendContext, 'signal'>

const PAGE = 100

export class GitHubNotifier implements Notifier {
  readonly kind = 'github'
  readonly digests = true
  readonly #api: GitHubApi
  readonly #options: CommentOptions

  constructor(api: GitHubApi, options: CommentOptions) {
    this.#api = api
    this.#options = options
  }

  /** `address` is `OWNER/REPOSITORY#NUMBER`. */
  async send(notice: Notice, address: string, { signal }: Context): Promise<Sent> {
    const { repository, number } = placeOf(address)
    const path = `repos/${repository}/issues/${number}/comments`
    const comment = await this.#api.ask(
      { method: 'POST', path, body: { body: gitHubComment(notice, this.#options) } },
      signal,
    )
    return { repository, comment: isJsonObject(comment) ? (comment['id'] ?? null) : null }
  }

  /** GitHub knows no repeat by its id, so the comment is looked for. */
  async find(notice: Notice, address: string, { signal }: Context): Promise<Sent | null> {
    const { repository, number } = placeOf(address)
    const since = encodeURIComponent(notice.at)
    const path = `repos/${repository}/issues/${number}/comments?since=${since}&per_page=${PAGE}`
    const comments = await this.#api.ask({ method: 'GET', path }, signal)
    for (const comment of Array.isArray(comments) ? comments : []) {
      const { body = null, id = null } = isJsonObject(comment) ? comment : {}
      if (typeof body === 'string' && body.startsWith(marker(notice))) return { repository, comment: id }
    }
    return null
  }

  async settle(sent: Sent, notice: Notice, { signal }: Context): Promise<Sent> {
    const path = `repos/${sent['repository']}/issues/comments/${sent['comment']}`
    try {
      await this.#api.ask({ method: 'PATCH', path, body: { body: gitHubComment(notice, this.#options) } }, signal)
    } catch (thrown) {
      // A comment that was deleted asks no person any more.
      if (!(thrown instanceof NotSentError && ['github_404', 'github_410'].includes(thrown.code))) throw thrown
    }
    return sent
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const ADDRESS = /^([\w.-]+\/[\w.-]+)#(\d+)$/

function placeOf(address: string): { readonly repository: string; readonly number: string } {
  const [, repository, number] = ADDRESS.exec(address) ?? []
  if (repository !== undefined && number !== undefined) return { repository, number }
  throw new NotSentError('invalid_address', `${JSON.stringify(address)} is not OWNER/REPOSITORY#NUMBER.`, {
    retry: 'never',
  })
}

/** A notice as Markdown of GitHub. An agent's words are within code, in which GitHub finds no mention, link or HTML. */

/** So that the whole is no longer than GitHub takes. */
const MOST = { mentions: 50, warnings: 10, line: 1_000, commands: 4_000 } as const

interface CommentOptions {
  /** The login of a person; `null` if the project knows none. */
  readonly loginOf: (person: string) => string | null
}

/** Invisible in the comment: finds it again after a try that ended without an answer. */
function marker({ id }: Pick<Notice, 'id'>): string {
  return `<!-- holdpoint ${id} -->`
}

function gitHubComment(notice: Notice, { loginOf }: CommentOptions): string {
  const { text, hold, url } = notice
  const isWhole = hold === null || fitsComment(hold)
  const offers = isWhole ? text.offers : offersOfPart(text.offers)
  return [
    marker(notice),
    ...endOf(text),
    ...(text.lead === null ? [] : [inlineCode(cut(text.lead))]),
    mentioned(notice, loginOf),
    headOf(text),
    ...text.warnings.slice(0, MOST.warnings).map(warning => `**Warning:** ${inlineCode(cut(warning))}`),
    text.lines.map(lineOfDigest).join('\n'),
    ...requestOf(text),
    ...(isWhole ? [] : ['This does not fit into a comment, and what is cut cannot be approved here.']),
    ...(hold ? howTo(hold, offers) : []),
    ...(url === null ? [] : [`[Open](${url})`]),
    factsOf(text),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function endOf({ outcome, result }: NoticeText): string[] {
  if (outcome === null) return []
  const done = `**Done:** ${inlineCode(cut(outcome))}`
  if (result === null) return [done]
  return [done, `${result.isFailure ? '**Failed:** ' : ''}${inlineCode(cut(result.text))}`]
}

/** Who asks for what, and for which task. */
function headOf({ asker, act, task }: NoticeText): string {
  const asks = asker === null ? `**${inlineCode(cut(act))}**` : `${inlineCode(cut(asker))} **${inlineCode(cut(act))}**`
  return task === null ? asks : `${asks}\n${inlineCode(cut(task))}`
}

function lineOfDigest({ text, url, hold_id }: NoticeText['lines'][number]): string {
  return `- ${inlineCode(cut(text))} ${url === null ? `\`holdpoint show ${hold_id}\`` : `[Open](${url})`}`
}

/** The words and the effect, as much as there is room for. A diff has its colours. */
function requestOf({ words, effect }: NoticeText): string[] {
  const parts = [
    ...(words === null ? [] : [{ text: words, language: '' }]),
    ...effect.map(group => ({ text: effectText([group]), language: isDiff(group) ? 'diff' : '' })),
  ]
  let room = MOST_OF_COMMENT
  return parts.flatMap(({ text, language }) => {
    const shown = text.slice(0, room)
    room -= shown.length
    return shown === '' ? [] : [blockOfCode(shown, language)]
  })
}

function isDiff({ type, lines }: EffectGroup): boolean {
  return type === 'part' && lines.some(({ what }) => what === 'was' || what === 'is')
}

/** Ids and digests come last, and are folded. */
function factsOf({ facts }: NoticeText): string {
  if (facts.length === 0) return ''
  const list = facts.map(({ label, value }) => `- ${label}: ${inlineCode(cut(value))}`).join('\n')
  return `<details><summary>Details</summary>\n\n${list}\n\n</details>`
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
    ({ verdict, label, value, typed }) =>
      `- ${COMMANDS[verdict](id, typed ?? (value === null ? null : label))}: ${inlineCode(label)}`,
  )
  if (lines.length === 0) return []
  const text = lines.join('\n')
  const shown =
    text.length <= MOST.commands ? text : `- ${COMMANDS.respond(id, null)}: one of its choices, word for word`
  return ['To decide, comment with one line:', shown]
}

const COMMANDS: Record<NoticeOffer['verdict'], (id: string, value: string | null) => string> = {
  approve: (id, thing) => `\`${['/approve', id, thing ?? ''].join(' ').trim()}\``,
  reject: id => `\`/deny ${id} WHY\``,
  respond: (id, value) => inlineCode(`/answer ${id} ${value ?? 'TEXT'}`),
}

function cut(text: string): string {
  return text.length <= MOST.line ? text : `${text.slice(0, MOST.line)}…`
}
