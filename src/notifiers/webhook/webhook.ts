/** Each event as a signed POST. Redirects are not followed; receivers know a repeat by `webhook-id`. */

import { createHmac } from 'node:crypto'
import { NotSentError, type Retry } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import { type NoticeContent, programNotice } from '../program-notice.ts'
import { post } from './post.ts'

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
      return deliver(hook, notice, { ...context, now: clock.now() })
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function deliver(
  hook: Webhook,
  notice: Notice,
  { signal, now }: SendContext & { readonly now: number },
): Promise<Sent> {
  const body = JSON.stringify(programNotice(notice, hook.content))
  const headers = {
    ...webhookHeaders({ id: notice.id, timestamp: Math.floor(now / 1000), body }, hook.secrets),
    'content-type': 'application/json',
  }
  const { status, retry } = await post(hook.url, { headers, body, allow_private: hook.allow_private, signal })
  if (status >= 200 && status < 300) return { status }
  throw notTaken(hook.url, status, retry)
}

function notTaken(url: string, status: number, retry: Retry): NotSentError {
  if (status === 410)
    return new NotSentError('webhook_gone', `${url} answered 410: it wants no more notices.`, {
      retry: 'address_off',
      hint: 'Nothing more is sent there. Remove it from notify.channels.webhook, or retry the notice.',
    })
  return new NotSentError('webhook_refused', `${url} answered ${status}.`, { retry })
}

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
