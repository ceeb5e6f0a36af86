/** Comments on an issue or a pull request, which are edited once something changed. */

import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { isJsonObject } from '../../core/text/json.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import type { GitHubApi } from './github-api.ts'
import { type CommentOptions, gitHubComment, marker } from './github-comment.ts'

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
