/** The doors by which decisions come from other services. Each is open if its secret is configured. */
import { fitsMail } from '../../core/notice/message-extent.ts'
import type { People } from '../../core/notice/person.ts'
import { personAt } from '../../core/notice/recipients.ts'
import { senderAddress } from '../../core/people/mail-address.ts'
import type {
  GithubSettings,
  MailSettings,
  NotifySettings,
  SlackSettings,
} from '../../core/settings/people/notify-settings.ts'
import type { Protocol } from '../../protocols/http/route.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { ObservedStore } from '../compose/compose.ts'
import { channelSecret } from '../compose/notices/notifiers.ts'
import { systemClock } from '../process/system-clock.ts'

export interface DoorDeps {
  readonly holdpoint: Holdpoint
  readonly store: Pick<ObservedStore, 'notices' | 'hold'>
  readonly notify: NotifySettings | null
  readonly people: People | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onError: (error: Error) => void
}

/** Notices have refused a bad secret before; no door opens with one all the same. @throws RefusedError as `channelSecret` */
export async function serviceDoors(deps: DoorDeps): Promise<readonly Protocol[]> {
  const { slack = null, github = null, mail = null } = deps.notify?.channels ?? {}
  const opening = [slack && slackDoor(deps, slack), github && gitHubDoor(deps, github), mail && mailDoor(deps, mail)]
  return (await Promise.all(opening)).filter(door => door !== null)
}

async function slackDoor(deps: DoorDeps, settings: SlackSettings): Promise<Protocol | null> {
  const { signing_secret_env: name, token_env, api_url: url } = settings
  if (name === null) return null
  const { slackReplies } = await import('../compose/notices/service-replies.ts')
  const { openSlack } = await import('../../protocols/slack/open-slack.ts')
  const replies = slackReplies({ token: channelSecret(deps.env, token_env), url })
  return openSlack({
    ...talk(deps),
    signingSecrets: [channelSecret(deps.env, name)],
    personOf: id => personAt(deps.people ?? {}, 'slack', id),
    team: () => replies.team(),
    replies,
  })
}

async function gitHubDoor(deps: DoorDeps, settings: GithubSettings): Promise<Protocol | null> {
  const { webhook_secret_env: name, token_env, api_url: url, issue } = settings
  if (name === null) return null
  const { gitHubReplies } = await import('../compose/notices/service-replies.ts')
  const { openGitHub } = await import('../../protocols/github/open-github.ts')
  return openGitHub({
    ...talk(deps),
    secrets: [channelSecret(deps.env, name)],
    repositories: [issue.replace(/#.*$/, '')],
    personOf: login => personAt(deps.people ?? {}, 'github', login),
    replies: gitHubReplies({ token: channelSecret(deps.env, token_env), url, now }),
  })
}

async function mailDoor(
  deps: DoorDeps,
  { inbound_secret_env: name, reply_to, from }: MailSettings,
): Promise<Protocol | null> {
  if (name === null) return null
  const { openMail } = await import('../../protocols/mail/open-mail.ts')
  const { refusalRecord } = await import('../../protocols/http/deliveries/refusal-record.ts')
  const { holdpoint, store } = deps
  return openMail({
    addresses: [reply_to ?? senderAddress(from)].filter(address => address !== null),
    ...{
      holdpoint,
      now,
      secrets: [channelSecret(deps.env, name)],
      turnAway: refusalRecord({ audit: holdpoint.audit, now }),
    },
    personOf: address => personAt(deps.people ?? {}, 'mail', address),
    mailOf: async id => {
      const notice = await store.notices.notice(id)
      // A digest asks about several holds, so a reply would be ambiguous.
      if (notice?.channel !== 'mail' || notice.digest !== null) return null
      const hold = await store.hold(notice.hold_id)
      return hold && { hold_id: hold.id, isWhole: fitsMail(hold), at: Date.parse(notice.created_at) }
    },
  })
}

const now = () => systemClock.now()

function talk({ holdpoint, onError }: DoorDeps) {
  return { holdpoint, onError, now }
}
