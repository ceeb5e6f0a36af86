/** The channels of a project, opened with their secrets. Each channel is loaded only if the project has it. */

import { messageOf } from '../../../core/errors.ts'
import type { ChannelKind } from '../../../core/notice/notice-event.ts'
import { PERSONAL_CHANNELS, type People } from '../../../core/notice/person.ts'
import type { NoticeDirectory } from '../../../core/notice/recipients.ts'
import type { Groups } from '../../../core/people/groups.ts'
import { type ChannelSettings, type NotifySettings, readNotify } from '../../../core/settings/people/notify-settings.ts'
import { type PushSettings, USUAL_PUSH } from '../../../core/settings/people/push-settings.ts'
import { channelSecrets } from '../../../core/settings/people/secret-variables.ts'
import type { SignInSettings } from '../../../core/settings/people/sign-in-settings.ts'
import type { Notifier } from '../../../ports/notifier.ts'
import { commandEnvironment, PASS_ALL } from '../../../ports/process/command-environment.ts'
import type { Store } from '../../../ports/store/store.ts'
import { pushKeysOf } from '../../../runtime/access/subscribing.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'

export interface NoticeSettings {
  readonly notify: NotifySettings | null
  readonly people: People | null
  readonly groups: Groups | null
  readonly push: PushSettings | null
  readonly sign_in: SignInSettings | null
}

export interface OpenedNotices {
  readonly notifiers: readonly Notifier[]
  readonly directory: NoticeDirectory
  readonly signIn: SignInSettings | null
  readonly baseUrl: string | null
  /** The digest of the settings of a channel. It has no secret in it. */
  readonly settingsOf: (channel: ChannelKind) => string
}

interface ChannelDeps {
  readonly channels: ChannelSettings
  readonly push: PushSettings
  readonly baseUrl: string | null
  /** Where browsers are subscribed; `null` if nothing is pushed from here. */
  readonly pushesFrom: Pick<Store, 'subscriptions'> | null
  readonly people: People
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly secret: (variable: string) => string
}

/** `null` if a project has none of that kind. */
type OpenChannel = (deps: ChannelDeps) => Promise<Notifier | null>

const CHANNELS: Readonly<Partial<Record<ChannelKind, OpenChannel>>> = {
  async webhook({ channels, secret }) {
    if (channels.webhook.length === 0) return null
    const { webhookNotifier } = await import('../../../notifiers/webhook/webhook.ts')
    const hooks = channels.webhook.map(({ secret_env, ...hook }) => ({ ...hook, secrets: secret_env.map(secret) }))
    return webhookNotifier(hooks, systemClock)
  },
  async command({ channels, directory, env }) {
    if (channels.command.length === 0) return null
    const { commandNotifier } = await import('../../../notifiers/command.ts')
    const environment = commandEnvironment(env, { ...PASS_ALL, never: channelSecrets(channels) })
    return commandNotifier(channels.command, { directory, environment })
  },
  async slack({ channels: { slack }, secret }) {
    if (slack === null) return null
    const { SlackApi } = await import('../../../notifiers/slack/slack-api.ts')
    const { SlackNotifier } = await import('../../../notifiers/slack/slack-notifier.ts')
    const api = new SlackApi({ token: secret(slack.token_env), url: slack.api_url })
    return new SlackNotifier(api, { hasButtons: slack.buttons && slack.signing_secret_env !== null })
  },
  async mail({ channels: { mail }, secret }) {
    if (mail === null) return null
    const { MailNotifier } = await import('../../../notifiers/mail/mail-notifier.ts')
    const replyTo = mail.inbound_secret_env === null ? null : (mail.reply_to ?? mail.from)
    return new MailNotifier({ smtpUrl: secret(mail.smtp_env), from: mail.from, replyTo, hasLinks: mail.links })
  },
  async github({ channels: { github }, people, secret }) {
    if (github === null) return null
    const { GitHubApi } = await import('../../../notifiers/github/github-api.ts')
    const { GitHubNotifier } = await import('../../../notifiers/github/github-notifier.ts')
    const api = new GitHubApi({ token: secret(github.token_env), url: github.api_url, now: () => systemClock.now() })
    return new GitHubNotifier(api, { loginOf: person => people[person]?.addresses.github ?? null })
  },
  async push({ push, baseUrl, pushesFrom: store }) {
    if (store === null) return null
    const { PushNotifier } = await import('../../../notifiers/push/push-notifier.ts')
    const { makePushKeys } = await import('../../../notifiers/push/push-keys.ts')
    return new PushNotifier({
      settings: push,
      contact: push.contact ?? (baseUrl?.startsWith('https:') ? baseUrl : OUR_PAGE),
      clock: systemClock,
      keys: () => pushKeysOf(store, makePushKeys),
      subscription: id => store.subscriptions.find(id),
      remove: id => store.subscriptions.remove({ id }),
    })
  },
}

/** Some push services take nothing from a sender without an address. */
const OUR_PAGE = 'https://github.com/holdpoint/holdpoint'

/** The channels of a project that names none. */
const NO_CHANNELS = readNotify({})

export interface OpeningDeps extends Pick<ChannelDeps, 'directory' | 'env'> {
  /** The secrets that `readSecrets` returned. */
  readonly secrets: ReadonlyMap<string, string>
  /** Given by a host that also pushes to browsers. */
  readonly pushesFrom?: Pick<Store, 'subscriptions'> | null
}

/** `null` if there is no channel. */
export async function openNotices(
  { notify, push, people, groups, sign_in: signIn }: NoticeSettings,
  { secrets, pushesFrom = null, ...deps }: OpeningDeps,
): Promise<OpenedNotices | null> {
  const { channels, base_url: baseUrl } = notify ?? NO_CHANNELS
  const secret = (variable: string) => secrets.get(variable) ?? ''
  const pushing = { push: push ?? USUAL_PUSH, baseUrl, pushesFrom }
  const opening = { ...deps, ...pushing, channels, people: people ?? {}, secret }
  const opened = await Promise.all(Object.values(CHANNELS).map(open => open(opening)))
  const notifiers = opened.filter(notifier => notifier !== null)
  if (notifiers.length === 0) return null
  const directory = noticeDirectory(channels, { people, groups }, notifiers)
  const settings = { ...channels, push: pushing.push }
  const settingsOf = (channel: ChannelKind) => systemIds.digest(JSON.stringify(settings[channel]))
  return { notifiers, directory, signIn, baseUrl, settingsOf }
}

/**
 * The secrets of all channels, by the variables that have them. A receiver that would get nothing is refused with them,
 * before anything is started. @throws RefusedError `unsafe_webhook`, or as `channelSecret`
 */
export async function readChannels(
  notify: NotifySettings,
  env: ChannelDeps['env'],
): Promise<ReadonlyMap<string, string>> {
  if (notify.channels.webhook.length > 0) await refuseUnsafeHooks(notify.channels)
  return readSecrets(notify, env)
}

async function refuseUnsafeHooks({ webhook }: ChannelSettings): Promise<void> {
  const { refuseUnsafe } = await import('../../../notifiers/webhook/public-address.ts')
  for (const { url, allow_private } of webhook) {
    try {
      if (!allow_private) refuseUnsafe(new URL(url))
    } catch (thrown) {
      throw projectRefusals.unsafeWebhook(url, messageOf(thrown))
    }
  }
}

function readSecrets(notify: NotifySettings, env: ChannelDeps['env']): ReadonlyMap<string, string> {
  return new Map(channelSecrets(notify.channels).map(variable => [variable, channelSecret(env, variable)]))
}

function noticeDirectory(
  { webhook, command, slack, mail, github }: ChannelSettings,
  { people, groups }: Pick<NoticeSettings, 'people' | 'groups'>,
  notifiers: readonly Notifier[],
): NoticeDirectory {
  const isOpen = (channel: ChannelKind) => notifiers.some(({ kind }) => kind === channel)
  const project = [
    { channel: 'slack', address: slack?.channel },
    { channel: 'mail', address: mail?.to },
    { channel: 'github', address: github?.issue },
  ] as const
  return {
    people: people ?? {},
    groups: groups ?? {},
    personal: PERSONAL_CHANNELS.filter(isOpen),
    followUps: mail?.follow_up ? ['mail'] : [],
    githubIssue: github?.issue ?? null,
    project: project.flatMap(({ channel, address }) => (address && isOpen(channel) ? [{ channel, address }] : [])),
    programs: [
      ...webhook.map(({ url, events }) => ({ channel: 'webhook' as const, address: url, events })),
      ...command.map(({ argv, events }) => ({ channel: 'command' as const, address: JSON.stringify(argv), events })),
    ],
  }
}

/** P1: an attacker could guess a key of a few bytes, and sign. @throws RefusedError `missing_secret`, `unusable_secret` */
export function channelSecret(env: ChannelDeps['env'], variable: string): string {
  const value = env[variable]
  if (!value) throw projectRefusals.missingSecret(variable)
  if (isStandardKey(value)) return value
  throw projectRefusals.unusableSecret(variable)
}

const SHORTEST_KEY = 16

/** True also for any text that is no secret of Standard Webhooks. */
function isStandardKey(secret: string): boolean {
  if (!secret.startsWith('whsec_')) return true
  const written = secret.slice('whsec_'.length)
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(written) && Buffer.from(written, 'base64').length >= SHORTEST_KEY
}
