/**
 * Notices by SMTP.
 * M1  A mail goes to one address, which is checked here too: a library would take a list.
 * M2  Its id is that of the notice, so a repeat is the same mail again.
 * M3  It decides nothing: it has a link that shows the hold, and only the form on that page decides.
 */
import type { Transporter } from 'nodemailer'
import { messageOf } from '../../core/errors.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { isOneAddress, senderAddress } from '../../core/people/mail-address.ts'
import type { Notifier, SendContext, Sent } from '../../ports/notifier.ts'
import { mailMessage, messageIdOf } from './mail-message.ts'
import { smtpOptions } from './smtp-options.ts'

export interface MailSettings {
  /** `smtps://user:password@host`. */
  readonly smtpUrl: string
  /** `Holdpoint <holds@example.org>`, or an address alone. */
  readonly from: string
  /** The address at which replies are read; `null` if none are. */
  readonly replyTo: string | null
  /** Whether each person gets a link that decides. Default: true. */
  readonly hasLinks?: boolean
}

export class MailNotifier implements Notifier {
  readonly kind = 'mail'
  readonly digests = true
  readonly hasLinks: boolean
  readonly #settings: MailSettings
  readonly #domain: string
  #transport: Promise<Transporter> | null = null

  constructor(settings: MailSettings) {
    this.#settings = settings
    this.hasLinks = settings.hasLinks ?? true
    this.#domain = senderAddress(settings.from)?.split('@').at(-1) ?? 'localhost'
  }

  async send(notice: Notice, address: string, { signal, earlier, link }: SendContext): Promise<Sent> {
    if (!isOneAddress(address)) throw notOneAddress(address)
    const message = mailMessage(notice, {
      ...{ to: address, link: link ?? null, domain: this.#domain },
      ...{ from: this.#settings.from, replyTo: this.#settings.replyTo },
      earlierId: typeof earlier?.['message_id'] === 'string' ? earlier['message_id'] : null,
    })
    const transport = await this.#open()
    try {
      await transport.sendMail({ ...message, references: [...(message.references ?? [])], signal })
    } catch (thrown) {
      throw notTaken(thrown)
    }
    return { message_id: messageIdOf(notice, this.#domain) }
  }

  async #open(): Promise<Transporter> {
    const options = smtpOptions(this.#settings.smtpUrl)
    if (options === null) throw notAServer()
    this.#transport ??= import('nodemailer').then(({ createTransport }) => createTransport(options) as Transporter)
    return this.#transport
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const transport = await this.#transport
    this.#transport = null
    transport?.close()
  }
}

/** A refusal of the address or the text stays one; trouble with the server or the login may be mended. */
function notTaken(thrown: unknown): NotSentError {
  const { code = '', responseCode = 0 } = thrown as { readonly code?: string; readonly responseCode?: number }
  const isFinal = FINAL.has(code) && responseCode >= 500
  return new NotSentError('mail_not_sent', `The mail server did not take it: ${messageOf(thrown)}.`, {
    retry: isFinal ? 'never' : 'later',
    ...(code in HINTS && { hint: HINTS[code] ?? '' }),
    cause: thrown,
  })
}

/** Errors about this mail, and not about the server. */
const FINAL: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE'])

const HINTS: Readonly<Record<string, string>> = {
  EAUTH: 'Check user and password in the URL of the mail server.',
  ETLS: 'The server must encrypt. For one on a network of your own, add ?tls=optional to its URL.',
  ESOCKET: 'See whether the server runs, and whether host and port in its URL are right.',
}

function notOneAddress(address: string): NotSentError {
  return new NotSentError('mail_address', `${JSON.stringify(address)} is not one mail address.`, {
    retry: 'never',
    hint: 'Give the person one plain address in `people`, such as ana@example.org.',
  })
}

function notAServer(): NotSentError {
  return new NotSentError('mail_server', 'The URL of the mail server cannot be read.', {
    retry: 'later',
    hint: 'Write it as smtps://user:password@host, or smtp://host:587.',
  })
}
