/** Notices to browsers by their push services. A newer message about a hold replaces the one that was not delivered yet. */
import { createHash } from 'node:crypto'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { PushKeys, Subscription } from '../../core/notice/push/subscription.ts'
import type { PushSettings } from '../../core/settings/people/push-settings.ts'
import { cutText } from '../../core/text/kept-text.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import { type PostAnswer, post } from '../webhook/post.ts'
import { authorizationOf } from './push-keys.ts'
import { type PushMessage, pushMessage } from './push-message.ts'
import { LONGEST_PUSH, sealPush } from './seal-push.ts'

export interface PushDeps {
  readonly settings: PushSettings
  /** As `sub` of what is signed: push services write there if this server misbehaves. */
  readonly contact: string
  readonly clock: Pick<Clock, 'now'>
  readonly keys: () => Promise<PushKeys>
  /** The browser at an address; `null` if it is gone. */
  readonly subscription: (id: string) => Promise<Subscription | null>
  readonly remove: (id: string) => Promise<void>
}

export class PushNotifier implements Notifier {
  readonly kind = 'push'
  readonly digests = true
  readonly #deps: PushDeps

  constructor(deps: PushDeps) {
    this.#deps = deps
  }

  async send(notice: Notice, id: string, { signal }: SendContext): Promise<Sent> {
    const subscription = await this.#deps.subscription(id)
    if (subscription === null) throw gone(id, 'its sign-in ended')
    const answer = await this.#post(subscription, notice, signal)
    if (answer.status >= 200 && answer.status < 300) return { status: answer.status }
    if (!GONE.includes(answer.status)) throw notTaken(subscription, answer)
    await this.#deps.remove(id)
    throw gone(id, `its push service answered ${answer.status}`)
  }

  async #post(subscription: Subscription, notice: Notice, signal: AbortSignal): Promise<PostAnswer> {
    const { settings, contact, clock, keys } = this.#deps
    const now = clock.now()
    const audience = new URL(subscription.endpoint).origin
    const headers = {
      authorization: authorizationOf(await keys(), { audience, contact, now }),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(secondsLeft(notice, now)),
      urgency: notice.event === 'reminded' ? 'normal' : 'high',
      topic: topicOf(notice),
    }
    const body = sealPush(subscription, bytesOf(pushMessage(notice, settings)))
    return post(subscription.endpoint, { headers, body, allow_private: settings.allow_private, signal })
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const GONE: readonly number[] = [404, 410]

function gone(id: string, why: string): NotSentError {
  return new NotSentError('push_gone', `The browser of ${id} is subscribed no more: ${why}.`, { retry: 'gone' })
}

/** The message itself is at fault, or the keys of the subscription: another try would not help. */
const FINAL: readonly number[] = [400, 401, 403, 413]

/** No message shows the path of an endpoint: who knows it may send there. */
function notTaken({ endpoint }: Subscription, { status, retry }: PostAnswer): NotSentError {
  const message = `The push service ${new URL(endpoint).origin} answered ${status}.`
  return new NotSentError('push_refused', message, { retry: FINAL.includes(status) ? 'never' : retry })
}

const DAY_S = 86_400

/** How long the push service keeps it for a browser that is off: a day, and not past the deadline. */
function secondsLeft({ hold }: Notice, now: number): number {
  const left = hold?.due_at ? Math.ceil((Date.parse(hold.due_at) - now) / 1000) : DAY_S
  return Math.min(Math.max(left, 0), DAY_S)
}

/** A topic has 32 characters at most, and the push service must not learn the id. */
const TOPIC_LENGTH = 32

function topicOf({ hold }: Notice): string {
  return createHash('sha256')
    .update(hold?.id ?? 'digest')
    .digest('base64url')
    .slice(0, TOPIC_LENGTH)
}

/** Words give way until the message fits. */
function bytesOf(message: PushMessage): Buffer {
  const bytes = Buffer.from(JSON.stringify(message))
  if (bytes.length <= LONGEST_PUSH) return bytes
  const longer = message.body.length > message.title.length ? 'body' : 'title'
  const text = message[longer]
  return bytesOf({ ...message, [longer]: `${cutText(text, Math.floor(text.length / 2))}\u2026` })
}
