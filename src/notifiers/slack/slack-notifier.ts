/** Messages in Slack: `chat.postMessage`, and `chat.update` once something changed. */

import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import type { SlackApi } from './slack-api.ts'
import { type CardOptions, slackCard } from './slack-card.ts'

type Context = Pick<SendContext, 'signal'>

/** The name under which a message carries the id of its notice. */
const NOTICE = 'holdpoint_notice'
/** The most messages that Slack gives in one answer. */
const PAGE = 200

export class SlackNotifier implements Notifier {
  readonly kind = 'slack'
  readonly digests = true
  readonly #api: SlackApi
  readonly #options: CardOptions

  constructor(api: SlackApi, options: CardOptions) {
    this.#api = api
    this.#options = options
  }

  /** To a channel (`C…`), or to a person (`U…`), to whom Slack shows it as a direct message of the app. */
  async send(notice: Notice, address: string, { signal }: Context): Promise<Sent> {
    const body = {
      ...{ channel: address, ...this.#message(notice), unfurl_links: false, unfurl_media: false },
      metadata: { event_type: NOTICE, event_payload: { id: notice.id } },
    }
    return placeIn(await this.#api.call('chat.postMessage', body, signal))
  }

  /** Slack knows no repeat by its id, so the message is looked for. An app that may not read sends it again. */
  async find(notice: Notice, address: string, { signal }: Context): Promise<Sent | null> {
    try {
      const channel = await this.#conversation(address, signal)
      const oldest = String(Math.floor(Date.parse(notice.at) / 1000))
      const asked = { channel, oldest, limit: PAGE, include_all_metadata: true }
      const { messages } = await this.#api.call('conversations.history', asked, signal)
      const found = (Array.isArray(messages) ? messages : []).find(message => noticeIn(message) === notice.id)
      return isJsonObject(found) && typeof found['ts'] === 'string' ? { channel, ts: found['ts'] } : null
    } catch (thrown) {
      if (thrown instanceof NotSentError && thrown.code === 'slack_missing_scope') return null
      throw thrown
    }
  }

  async settle(sent: Sent, notice: Notice, { signal }: Context): Promise<Sent> {
    const { channel = null, ts = null } = sent
    try {
      await this.#api.call('chat.update', { channel, ts, ...this.#message(notice) }, signal)
    } catch (thrown) {
      // A message that was deleted has no buttons.
      if (!(thrown instanceof NotSentError && thrown.code === 'slack_message_not_found')) throw thrown
    }
    return sent
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #message(notice: Notice): JsonObject {
    return { ...slackCard(notice, this.#options) }
  }

  /** The id of the conversation with a person: only messages are sent to a person as such. */
  async #conversation(address: string, signal: AbortSignal): Promise<string> {
    if (!/^[UW]/.test(address)) return address
    const { channel } = await this.#api.call('conversations.open', { users: address }, signal)
    const id = isJsonObject(channel) ? channel['id'] : null
    return typeof id === 'string' ? id : address
  }
}

function placeIn({ channel = null, ts = null }: JsonObject): Sent {
  return { channel, ts }
}

function noticeIn(message: Json): Json {
  const metadata = isJsonObject(message) ? (message['metadata'] ?? null) : null
  if (!isJsonObject(metadata) || metadata['event_type'] !== NOTICE) return null
  const payload = metadata['event_payload']
  return isJsonObject(payload) ? (payload['id'] ?? null) : null
}
