import type { GitHubApi } from './github-api.ts'

interface CommentPlace {
  readonly repository: string
  readonly number: number
  readonly comment: number
}

const REPLY_MS = 10_000

/** Answers the author of a comment with the outcome, as well as the comment that everybody sees. */
export class GitHubReplies {
  readonly #api: GitHubApi

  constructor(api: GitHubApi) {
    this.#api = api
  }

  async react({ repository, comment }: CommentPlace, content: '+1' | 'confused'): Promise<void> {
    const path = `repos/${repository}/issues/comments/${comment}/reactions`
    await this.#api.ask({ method: 'POST', path, body: { content } }, AbortSignal.timeout(REPLY_MS))
  }

  async say({ repository, number }: CommentPlace, body: string): Promise<void> {
    const path = `repos/${repository}/issues/${number}/comments`
    await this.#api.ask({ method: 'POST', path, body: { body } }, AbortSignal.timeout(REPLY_MS))
  }
}
