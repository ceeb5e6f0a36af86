/** `people`, `notify` and `push` of `.holdpoint/config.json`, as people write them. */

/** @propertyNames {"pattern": "^(?!@)[\\s\\S]*\\S"} */
export type PeopleDocument = Readonly<Record<string, PersonDocument>>

/** How a person is reached, and recognized when they answer. */
interface PersonDocument {
  /**
   * One mail address.
   * @pattern ^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$
   */
  readonly mail?: string
  /**
   * The id of a member of Slack, like `U012AB3CD`.
   * @pattern ^[UW][A-Z0-9]{2,}$
   */
  readonly slack?: string
  /**
   * A login at GitHub, without `@`.
   * @pattern ^[A-Za-z0-9-]+(\[bot\])?$
   */
  readonly github?: string
  /**
   * Hours without notices, every day: `22:00-07:00 Europe/Berlin`.
   * @pattern ^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d \S+$
   */
  readonly quiet?: string
  /**
   * The channels for an event. Default: every one that has an address; for `waits_for_model`, a run that waits long for
   * the provider of its model, none.
   */
  readonly want?: Readonly<
    Partial<Record<'opened' | 'reminded' | 'escalated' | 'assigned' | 'waits_for_model', readonly Personal[]>>
  >
}

/**
 * Text of one line.
 * @pattern ^(?=.*\S)[^\r\n\0]+$
 */
type Line = string

/** @pattern ^https?://[^\s/]+\S*$ */
type Url = string

/** @minItems 1 */
type Argv = readonly string[]

type Personal = 'slack' | 'mail' | 'github'
type Event =
  | ('opened' | 'reminded' | 'escalated' | 'assigned' | 'voted' | 'decided' | 'expired' | 'withdrawn' | 'ended')
  | 'waits_for_model'

export interface NotifyDocument {
  /** How people reach `holdpoint serve`: links in messages begin with it. */
  readonly base_url?: Url
  readonly channels?: ChannelsDocument
}

interface ChannelsDocument {
  readonly webhook?: WebhookDocument | readonly WebhookDocument[]
  readonly command?: CommandDocument | readonly CommandDocument[]
  readonly slack?: SlackDocument
  readonly mail?: MailDocument
  readonly github?: GithubDocument
  /** The terminal of `holdpoint work` and `serve` rings. */
  readonly terminal?: boolean
}

/** A URL that gets each event as a POST, signed by the rules of Standard Webhooks. */
interface WebhookDocument {
  readonly url: Url
  /** The variable with the secret; several while secrets rotate. */
  readonly secret_env?: Line | readonly Line[]
  /** Default: all. */
  readonly events?: readonly Event[]
  /** `full`: with the arguments. Default: `none`. */
  readonly content?: 'none' | 'full'
  /** True if the URL may be one of this machine or of a private network. Default: false. */
  readonly allow_private?: boolean
}

/** A program that is started for each event, with the notice as JSON on its stdin. No shell. */
interface CommandDocument {
  /** The program and its arguments. */
  readonly argv: Argv
  /** Default: all. */
  readonly events?: readonly Event[]
  /** `full`: with the arguments. Default: `none`. */
  readonly content?: 'none' | 'full'
}

interface SlackDocument {
  /** The variable with the token of the bot. */
  readonly token_env: Line
  /** The variable with the signing secret. Without it, messages have no buttons. */
  readonly signing_secret_env?: Line
  /** The id of the channel for what no person is asked. */
  readonly channel?: Line
  /** False: messages have a link alone. Default: true. */
  readonly buttons?: boolean
  readonly api_url?: Url
}

/** @pattern ^[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+$ */
type MailAddress = string

interface MailDocument {
  /** The variable with `smtps://user:password@host`. */
  readonly smtp_env: Line
  /**
   * `Holdpoint <holds@example.org>`, or an address alone.
   * @pattern ^([^<>\r\n\0]*<[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+>|[^\s\0@<>,;:"()[\]\\]+@[^\s\0@<>,;:"()[\]\\]+)$
   */
  readonly from: string
  /** The address for what no person is asked. */
  readonly to?: MailAddress
  /** The variable with the secret of the provider that posts replies. */
  readonly inbound_secret_env?: Line
  /**
   * False: a mail leads to the page of the hold, which asks people to sign in, and no link decides by itself. Default:
   * true.
   */
  readonly links?: boolean
  /** The address for replies, if they are read. Default: `from`. */
  readonly reply_to?: MailAddress
}

interface GithubDocument {
  /** The variable with the token. */
  readonly token_env: Line
  /** The variable with the secret of the webhook that brings comments back. */
  readonly webhook_secret_env?: Line
  /**
   * `owner/repository#7`: the issue or pull request that gets the comments.
   * @pattern ^[\w.-]+/[\w.-]+#[1-9]\d*$
   */
  readonly issue: string
  readonly api_url?: Url
}

export interface PushDocument {
  /** `act`: a notification names the act and its task. `none`: it says only that something waits. Default: `act`. */
  readonly body?: 'act' | 'none'
  /**
   * Where push services reach you: `mailto:ops@example.org`, or a page. Default: `notify.base_url`.
   * @pattern ^(mailto:[^\s@]+@\S+|https://\S+)$
   */
  readonly contact?: string
  /** True if a push service may be one of this machine or of a private network. Default: false. */
  readonly allow_private?: boolean
}
