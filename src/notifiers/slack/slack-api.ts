/**
 * The methods of Slack's web API, as plain requests. One try each: the outbox tries again.
 * @see https://docs.slack.dev/apis/web-api
 */
import { messageOf } from '../../core/errors.ts'
import { NotSentError, type Retry } from '../../core/notice/not-sent.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'

export interface SlackApiOptions {
  /** The token of the bot: `xoxb-…`. */
  readonly token: string
  /** Default: `https://slack.com/api`. */
  readonly url?: string | null
}

export const SLACK_API = 'https://slack.com/api'

export class SlackApi {
  readonly #token: string
  readonly #url: string

  constructor({ token, url }: SlackApiOptions) {
    this.#token = token
    this.#url = url ?? SLACK_API
  }

  /** The answer of a method. @throws NotSentError */
  async call(method: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const headers = { authorization: `Bearer ${this.#token}` }
    return this.post(`${this.#url}/${method}`, body, { signal, headers })
  }

  /** A POST of JSON, to a URL that Slack gave. @throws NotSentError */
  async post(
    url: string,
    body: JsonObject,
    { signal, headers }: { readonly signal: AbortSignal; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<JsonObject> {
    const type = { 'content-type': 'application/json; charset=utf-8' }
    const init = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) }
    const { response, text } = await answered(url, { ...init, signal, redirect: 'error' })
    if (response.status === 429) throw refusal('ratelimited', retryAfter(response))
    const answer = parsed(text)
    if (!response.ok || answer === null) throw refusal(`http_${response.status}`, 'later')
    if (answer['ok'] === false) throw refusal(String(answer['error']))
    return answer
  }
}

async function answered(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, init)
    return { response, text: await response.text() }
  } catch (cause) {
    throw new NotSentError('slack_unreachable', `Slack did not answer: ${messageOf(cause)}.`, { retry: 'later', cause })
  }
}

/** A `response_url` answers `ok`, which is no JSON. */
function parsed(text: string): JsonObject | null {
  if (text === 'ok' || text === '') return {}
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

const USUAL_PAUSE_SECONDS = 30

function retryAfter({ headers }: Response): Retry {
  const seconds = Number(headers.get('retry-after'))
  return { after_ms: (Number.isFinite(seconds) && seconds > 0 ? seconds : USUAL_PAUSE_SECONDS) * 1000 }
}

/** Slack will not take this message, however often it is sent. */
const NEVER: readonly string[] = [
  ...[
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_too_long',
    'msg_blocks_too_long',
    'no_text',
    'metadata_too_large',
  ],
  ...['message_not_found', 'cant_update_message', 'edit_window_closed', 'trigger_expired', 'expired_trigger_id'],
]

/** No person reads there any more. */
const OFF: readonly string[] = ['is_archived', 'user_disabled', 'cannot_dm_bot']

const HINTS: Readonly<Record<string, string>> = {
  channel_not_found: 'Check the id; the app sees a private channel only once it is invited.',
  not_in_channel: 'Invite the app into the channel, or give it the scope chat:write.public.',
  missing_scope: 'Give the app the scopes of docs/notices.md, and install it again.',
  invalid_auth: 'Check the bot token.',
  token_revoked: 'Install the app again, and set its new bot token.',
  user_not_found: 'Check the Slack id of the person in `people`.',
}

function refusal(code: string, retry: Retry = retryOf(code)): NotSentError {
  const hint = HINTS[code]
  return new NotSentError(`slack_${code}`, `Slack answered ${JSON.stringify(code)}.`, { retry, ...(hint && { hint }) })
}

function retryOf(code: string): Retry {
  if (NEVER.includes(code)) return 'never'
  return OFF.includes(code) ? 'address_off' : 'later'
}
