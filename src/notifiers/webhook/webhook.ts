/** Each event as a signed POST. Redirects are not followed; receivers know a repeat by `webhook-id`. */

import { createHmac } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import { type NoticeContent, programNotice } from '../program-notice.ts'
import { lookupPublic, refuseUnsafe } from './public-address.ts'

export interface Webhook {
  readonly url: string
  /** The newest first; while they rotate, all of them sign. */
  readonly secrets: readonly string[]
  readonly content: NoticeContent
  /** True if it may be of this machine or of a private network, and without TLS. */
  readonly allow_private: boolean
}

export function webhookNotifier(hooks: readonly Webhook[], clock: Pick<Clock, 'now'>): Notifier {
  return {
    kind: 'webhook',
    digests: false,
    async send(notice, address, context) {
      const hook = hooks.find(({ url }) => url === address)
      if (!hook) throw unknownHook(address)
      return post(hook, notice, { ...context, now: clock.now() })
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function post(
  hook: Webhook,
  notice: Notice,
  { signal, now }: SendContext & { readonly now: number },
): Promise<Sent> {
  const url = new URL(hook.url)
  if (!hook.allow_private) refuseUnsafe(url)
  const body = JSON.stringify(programNotice(notice, hook.content))
  const headers = {
    ...webhookHeaders({ id: notice.id, timestamp: Math.floor(now / 1000), body }, hook.secrets),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'holdpoint',
  }
  const lookup = hook.allow_private ? {} : { lookup: lookupPublic as NonNullable<RequestOptions['lookup']> }
  const { status, retryAfter } = await answerOf(url, { method: 'POST', headers, signal, ...lookup }, body)
  if (status >= 200 && status < 300) return { status }
  throw notTaken(hook.url, status, retryAfter)
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

function answerOf(url: URL, options: RequestOptions, body: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, options, (response: IncomingMessage) => {
    // The status is enough: a body that never ends is not read.
    resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null })
    response.destroy()
  })
  request.on('error', error => reject(options.signal?.aborted ? options.signal.reason : error))
  request.end(body)
  return promise
}

function notTaken(url: string, status: number, retryAfter: string | null): NotSentError {
  if (status === 410)
    return new NotSentError('webhook_gone', `${url} answered 410: it wants no more notices.`, {
      retry: 'address_off',
      hint: 'Nothing more is sent there. Remove it from notify.channels.webhook, or retry the notice.',
    })
  const seconds = Number(retryAfter ?? Number.NaN)
  const retry = seconds > 0 ? { after_ms: Math.min(seconds, LONGEST_PAUSE_S) * 1000 } : 'later'
  return new NotSentError('webhook_refused', `${url} answered ${status}.`, { retry })
}

const LONGEST_PAUSE_S = 3_600

function unknownHook(address: string): NotSentError {
  return new NotSentError('webhook_removed', `${address} is in the configuration no more.`, {
    retry: 'never',
    hint: 'Write it into notify.channels.webhook again, and retry the notice.',
  })
}

interface SignedParts {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of Standard Webhooks. While secrets rotate there is a signature by each; without a secret, none. */
function webhookHeaders({ id, timestamp, body }: SignedParts, secrets: readonly string[]): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`
  const signatures = secrets.map(
    secret => `v1,${createHmac('sha256', webhookKey(secret)).update(content).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}

/** `whsec_` and base64, as receivers have it; any other text is the key itself. */
function webhookKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}
