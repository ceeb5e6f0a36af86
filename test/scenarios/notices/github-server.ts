/** A GitHub: the routes that the product calls, and people who comment. */
import { createHmac, randomUUID } from 'node:crypto'
import { jsonAnswer, until, type WireAnswer, type WireRequest, WireServer } from './wire-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
type Any = any

export const WEBHOOK_SECRET = "It's a Secret to Everybody"
export const GITHUB_TOKEN = 'ghp_test'
export const REPOSITORY = 'acme/shop'

export interface Comment {
  readonly id: number
  readonly number: number
  readonly login: string
  body: string
  readonly created_at: string
  changes: number
  readonly reactions: string[]
}

export interface CommentOptions {
  readonly login: string
  readonly repository?: string
  readonly secret?: string
  readonly ageHours?: number
  readonly action?: 'created' | 'edited'
  /** The app that wrote in the name of the person. */
  readonly app?: string
  readonly event?: string
  readonly spoil?: (signature: string) => string
}

export class GitHub implements AsyncDisposable {
  readonly comments: Comment[] = []
  readonly wire: WireServer = new WireServer(request => this.#take(request))
  /** Where the webhook delivers. */
  webhook = ''

  static async open(): Promise<GitHub> {
    const github = new GitHub()
    await github.wire.listen()
    return github
  }

  get api(): string {
    return this.wire.url
  }

  /** Comments of the app that have these words, once there are so many. */
  async said(words: string, count = 1): Promise<readonly Comment[]> {
    return until(() => {
      const found = this.comments.filter(({ login, body }) => login === BOT && body.includes(words))
      return found.length >= count ? found : null
    })
  }

  /** A person comments; the delivery is answered before this resolves. */
  async comment(
    number: number,
    body: string,
    options: CommentOptions,
  ): Promise<{ status: number; comment: Comment; again: () => Promise<number> }> {
    const comment = this.#add(number, body, options.login, options.ageHours)
    const delivery = randomUUID()
    const again = () => this.#deliver(comment, delivery, options)
    return { status: await again(), comment, again }
  }

  async #deliver(comment: Comment, delivery: string, options: CommentOptions): Promise<number> {
    const { secret = WEBHOOK_SECRET, event = 'issue_comment', spoil = same => same } = options
    const body = JSON.stringify(payloadOf(comment, options))
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const response = await fetch(this.webhook, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': delivery },
        'x-hub-signature-256': spoil(signature),
      },
      body,
      signal: AbortSignal.timeout(10_000),
    })
    await response.text()
    return response.status
  }

  #add(number: number, body: string, login: string, ageHours = 0): Comment {
    const created_at = `${new Date(Date.now() - ageHours * 3_600_000).toISOString().slice(0, 19)}Z`
    const comment = { id: 1_000 + this.comments.length, number, login, body, created_at, changes: 0, reactions: [] }
    this.comments.push(comment)
    return comment
  }

  #take({ method, path, query, headers, body }: WireRequest): WireAnswer {
    if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return jsonAnswer({ message: 'Bad credentials' }, 401)
    if (!headers['user-agent']) return jsonAnswer({ message: 'User-Agent is missing' }, 403)
    const given = body === '' ? {} : JSON.parse(body)
    const number = /^\/repos\/acme\/shop\/issues\/(\d+)\/comments$/.exec(path)?.[1]
    if (number === undefined) return this.#change(path, given)
    return method === 'POST'
      ? this.#post(Number(number), given)
      : jsonAnswer(this.#since(Number(number), query.get('since')))
  }

  #change(path: string, { body, content }: Any): WireAnswer {
    const [, id, rest] = /^\/repos\/acme\/shop\/issues\/comments\/(\d+)(\/reactions)?$/.exec(path) ?? []
    const comment = this.comments.find(each => each.id === Number(id))
    if (!comment) return jsonAnswer({ message: 'Not Found' }, 404)
    if (rest) comment.reactions.push(content)
    else Object.assign(comment, { body, changes: comment.changes + 1 })
    return jsonAnswer(comment, rest ? 201 : 200)
  }

  #post(number: number, { body }: Any): WireAnswer {
    if (typeof body !== 'string' || body === '' || body.length > 65_536)
      return jsonAnswer({ message: 'Validation Failed' }, 422)
    return jsonAnswer(this.#add(number, body, BOT), 201)
  }

  #since(number: number, since: string | null): readonly Comment[] {
    const from = since === null ? 0 : Math.floor(Date.parse(since) / 1000) * 1000
    return this.comments.filter(each => each.number === number && Date.parse(each.created_at) >= from)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wire[Symbol.asyncDispose]()
  }
}

const BOT = 'holdpoint-bot'

function payloadOf(comment: Comment, { login, repository = REPOSITORY, action = 'created', app }: CommentOptions): Any {
  const user = { login: comment.login, id: comment.login.length, type: 'User' }
  return {
    action,
    issue: { number: comment.number, title: 'Deploy', body: 'x'.repeat(500) },
    comment: {
      ...{ id: comment.id, body: comment.body, created_at: comment.created_at, user },
      performed_via_github_app: app === undefined ? null : { slug: app },
    },
    repository: { full_name: repository },
    sender: { ...user, login },
  }
}
