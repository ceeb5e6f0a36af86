/**
 * Requests to the REST API of GitHub. Each is tried once: the outbox tries again.
 * @see https://docs.github.com/en/rest
 */
import { messageOf } from '../../core/errors.ts'
import { NotSentError, type Retry } from '../../core/notice/not-sent.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'

export interface GitHubApiOptions {
  readonly token: string
  /** Default: `https://api.github.com`. */
  readonly url?: string | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface GitHubRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** The path after the URL of the API, such as `repos/acme/shop/issues/7/comments`. */
  readonly path: string
  readonly body?: JsonObject
}

export const GITHUB_API = 'https://api.github.com'
const VERSION = '2022-11-28'
const USUAL_PAUSE_MS = 60_000

export class GitHubApi {
  readonly #options: GitHubApiOptions

  constructor(options: GitHubApiOptions) {
    this.#options = options
  }

  /** The JSON of the answer. @throws NotSentError */
  async ask({ method, path, body }: GitHubRequest, signal: AbortSignal): Promise<Json> {
    const { token, url } = this.#options
    const headers = {
      ...{ accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
      ...{ 'user-agent': 'holdpoint', 'x-github-api-version': VERSION, 'content-type': 'application/json' },
    }
    const init = { method, headers, signal, redirect: 'error' as const, ...(body && { body: JSON.stringify(body) }) }
    const { response, text } = await answered(`${url ?? GITHUB_API}/${path}`, init)
    if (!response.ok) throw this.#refusal(response, text)
    return parsed(text)
  }

  #refusal(response: Response, text: string): NotSentError {
    const { status } = response
    const message = `GitHub answered ${status}${reasonIn(text)}.`
    const hint = HINTS[status]
    return new NotSentError(`github_${status}`, message, { retry: this.#retry(response), ...(hint && { hint }) })
  }

  /** Too many requests are answered with 403 or 429, and with one of three headers. */
  #retry({ status, headers }: Response): Retry {
    const pause = Number(headers.get('retry-after'))
    if (pause > 0) return { after_ms: pause * 1000 }
    const reset = Number(headers.get('x-ratelimit-reset')) * 1000
    if (headers.get('x-ratelimit-remaining') === '0') return { after_ms: Math.max(0, reset - this.#options.now()) }
    if (status === 429) return { after_ms: USUAL_PAUSE_MS }
    return NEVER.includes(status) ? 'never' : 'later'
  }
}

/** The comment is not valid, or the conversation it was on is gone. */
const NEVER: readonly number[] = [410, 422]

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check the token.',
  403: 'The token needs the right to write issues, and pull requests, of the repository.',
  404: 'Check the repository and the number; the token must see them.',
}

async function answered(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, init)
    return { response, text: await response.text() }
  } catch (cause) {
    const message = `GitHub did not answer: ${messageOf(cause)}.`
    throw new NotSentError('github_unreachable', message, { retry: 'later', cause })
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new NotSentError('github_unreachable', 'GitHub answered with no JSON.', { retry: 'later', cause })
  }
}

const LONGEST_REASON = 200

function reasonIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' ? `: ${message.slice(0, LONGEST_REASON)}` : ''
  } catch {
    return ''
  }
}
