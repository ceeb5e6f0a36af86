import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool'

/** A server that is silent for so long holds up no other message. */
const SILENCE_MS = 10_000
const IDLE_MS = 5_000
const CONNECTIONS = 4
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * The server of an `smtp://` or `smtps://` URL; `null` if it is none. Mails have links that let their reader decide, so
 * a server on another machine must encrypt, unless the URL has `?tls=optional`.
 */
export function smtpOptions(text: string): (SMTPPoolOptions & { readonly pool: true }) | null {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return null
  const secure = url.protocol === 'smtps:'
  const [user, pass] = [decoded(url.username), decoded(url.password)]
  if (user === null || pass === null) return null
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !LOOPBACK.test(url.hostname) && url.searchParams.get('tls') !== 'optional',
    ...(user !== '' && { auth: { user, pass } }),
    ...{ pool: true, maxConnections: CONNECTIONS, idleTimeout: IDLE_MS },
    // The outbox tries again, and knows whether it does.
    maxRequeues: 0,
    ...{
      connectionTimeout: SILENCE_MS,
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      dnsTimeout: SILENCE_MS,
    },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
}

/** `null` if an escape sequence means no text. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
