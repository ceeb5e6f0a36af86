import type { NoticeEvent } from '../../notice/notice-event.ts'
import type { People } from '../../notice/person.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { FieldReader } from './notify-fields.ts'

/** The events that programs may subscribe to. */
// biome-ignore format: a list of words
export const PROGRAM_EVENTS: readonly NoticeEvent[] = ['opened', 'reminded', 'escalated', 'assigned', 'voted', 'decided', 'expired', 'withdrawn', 'ended', 'waits_for_model']

export interface WebhookSettings {
  readonly url: string
  /** The variables with its secrets, the newest first; none: it is not signed. */
  readonly secret_env: readonly string[]
  readonly events: readonly NoticeEvent[]
  /** `full`: with the arguments; `none`: ids, digest and URL. */
  readonly content: 'none' | 'full'
  /** True if its address may be of this machine or of a private network. */
  readonly allow_private: boolean
}

export interface CommandSettings {
  readonly argv: readonly string[]
  readonly events: readonly NoticeEvent[]
  readonly content: 'none' | 'full'
}

export interface SlackSettings {
  readonly token_env: string
  /** Without it, buttons do not come back: messages have a link alone. */
  readonly signing_secret_env: string | null
  /** The channel of the project, for holds that no person is asked about. */
  readonly channel: string | null
  readonly buttons: boolean
  readonly api_url: string
}

export interface MailSettings {
  /** The variable with `smtps://user:password@host`. */
  readonly smtp_env: string
  /** `Holdpoint <holds@example.org>`, or an address alone. */
  readonly from: string
  /** The address for replies, if they are read. Default: `from`. */
  readonly reply_to: string | null
  /** The address of the project, for holds that no person is asked about. */
  readonly to: string | null
  /** The variable with the secret of the inbound route; without it, replies are not read. */
  readonly inbound_secret_env: string | null
  /** True: who approved a call that then fails gets a mail that says so. */
  readonly follow_up: boolean
  /** False: a mail links to the page of the hold, which requires sign-in, and no link decides by itself. */
  readonly links: boolean
}

export interface GithubSettings {
  readonly token_env: string
  /** Without it, comments of people are not read. */
  readonly webhook_secret_env: string | null
  /** `owner/repository#7`: the issue or pull request that gets the comments. */
  readonly issue: string
  readonly api_url: string
}

export interface ChannelSettings {
  readonly webhook: readonly WebhookSettings[]
  readonly command: readonly CommandSettings[]
  readonly slack: SlackSettings | null
  readonly mail: MailSettings | null
  readonly github: GithubSettings | null
  /** Whether the terminal of a worker or server rings. */
  readonly terminal: boolean
}

/** How notices leave a project. */
export interface NotifySettings {
  /** How people reach the server, without a slash at its end; `null` without links. */
  readonly base_url: string | null
  readonly channels: ChannelSettings
}

/** Reads `notify`. @throws Error that names the fault. */
export function readNotify(written: Json): NotifySettings {
  if (!isJsonObject(written))
    throw new Error('notify must be like { "channels": { "webhook": { "url": "https://…" } } }')
  const { base_url, channels = {}, ...others } = written
  refuseOthers('notify', others, ['base_url', 'channels'])
  if (!isJsonObject(channels)) throw new Error('notify.channels: must be an object')
  refuseOthers('notify.channels', without(channels, Object.keys(CHANNELS)), Object.keys(CHANNELS))
  const empty = Object.keys(channels).find(kind => channels[kind] === null)
  if (empty !== undefined) throw new Error(`notify.channels.${empty}: says nothing; leave it out`)
  const read = <K extends keyof ChannelSettings>(kind: K) =>
    CHANNELS[kind](channels[kind] ?? null, `notify.channels.${kind}`)
  return {
    base_url: base_url === undefined ? null : readBaseUrl(base_url),
    channels: {
      webhook: read('webhook'),
      command: read('command'),
      slack: read('slack'),
      mail: read('mail'),
      github: read('github'),
      terminal: read('terminal'),
    },
  }
}

/** Why people and channels do not go together, in words; `null` if they do. */
export function objectionToNotify(notify: NotifySettings | null, people: People | null): string | null {
  if (notify === null) return null
  const { mail } = notify.channels
  if (mail && notify.base_url === null)
    return 'notify.base_url: mails have links, so write the address of your server here, such as "https://holds.example.org"'
  const isReached = Object.values(people ?? {}).some(({ addresses }) => addresses.mail !== undefined)
  if (mail && mail.to === null && !isReached)
    return 'notify.channels.mail: nobody would get a mail; write addresses into people, or "to"'
  return null
}

type Reader<K extends keyof ChannelSettings> = (written: Json, at: string) => ChannelSettings[K]

const CHANNELS: { readonly [K in keyof ChannelSettings]: Reader<K> } = {
  webhook: (written, at) => listOf(written).map((each, n) => readWebhook(each, `${at}[${n}]`)),
  command: (written, at) => listOf(written).map((each, n) => readCommand(each, `${at}[${n}]`)),
  slack: (written, at) => (written === null ? null : readSlack(written, at)),
  mail: (written, at) => (written === null ? null : readMail(written, at)),
  github: (written, at) => (written === null ? null : readGithub(written, at)),
  terminal: (written, at) => {
    if (written === null || typeof written === 'boolean') return written ?? false
    throw new Error(`${at}: must be true or false`)
  },
}

function readWebhook(written: Json, at: string): WebhookSettings {
  const read = new FieldReader(written, at)
  return read.all({
    url: read.url('url'),
    secret_env: read.names('secret_env'),
    events: read.some('events', PROGRAM_EVENTS),
    content: read.oneOf('content', ['none', 'full']),
    allow_private: read.flag('allow_private', false),
  })
}

function readCommand(written: Json, at: string): CommandSettings {
  const read = new FieldReader(written, at)
  return read.all({
    argv: read.argv('argv'),
    events: read.some('events', PROGRAM_EVENTS),
    content: read.oneOf('content', ['none', 'full']),
  })
}

function readSlack(written: Json, at: string): SlackSettings {
  const read = new FieldReader(written, at)
  return read.all({
    token_env: read.text('token_env'),
    signing_secret_env: read.maybe('signing_secret_env'),
    channel: read.maybe('channel'),
    buttons: read.flag('buttons', true),
    api_url: read.url('api_url', 'https://slack.com/api'),
  })
}

/** Matches one address: nothing that a mail program could read as several. The notifier checks more strictly. */
const ADDRESS = /^[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+$/
const SENDER =
  /^([^<>\r\n\0]*<[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+>|[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+)$/

function readMail(written: Json, at: string): MailSettings {
  const read = new FieldReader(written, at)
  return read.all({
    smtp_env: read.text('smtp_env'),
    from: read.matching('from', SENDER, 'like "Holdpoint <holds@example.org>", or one address alone'),
    reply_to: read.maybeMatching('reply_to', ADDRESS, 'one mail address, like "ana@example.org"'),
    to: read.maybeMatching('to', ADDRESS, 'one mail address, like "ana@example.org"'),
    inbound_secret_env: read.maybe('inbound_secret_env'),
    follow_up: read.flag('follow_up', false),
    links: read.flag('links', true),
  })
}

function readGithub(written: Json, at: string): GithubSettings {
  const read = new FieldReader(written, at)
  return read.all({
    token_env: read.text('token_env'),
    webhook_secret_env: read.maybe('webhook_secret_env'),
    issue: read.matching('issue', /^[\w.-]+\/[\w.-]+#[1-9]\d*$/, 'like "owner/repository#7"'),
    api_url: read.url('api_url', 'https://api.github.com'),
  })
}

function readBaseUrl(written: Json): string {
  const read = new FieldReader({ base_url: written }, 'notify')
  return read.url('base_url').replace(/\/+$/, '')
}

function listOf(written: Json): readonly Json[] {
  if (written === null) return []
  return Array.isArray(written) ? written : [written]
}

function without(document: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([key]) => !keys.includes(key)))
}

function refuseOthers(at: string, others: JsonObject, known: readonly string[]): void {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`${at}.${unknown}: known keys are ${known.join(', ')}`)
}
