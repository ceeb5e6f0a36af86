/** `holdpoint serve` in a project whose people are in Slack and on GitHub. */
import { aProject, effect, type Project, type ProjectOptions } from '../project.ts'
import { aServer, type ServerProcess } from '../server/server-process.ts'
import { GITHUB_TOKEN, GitHub, REPOSITORY, WEBHOOK_SECRET } from './github-server.ts'
import { BOT_TOKEN, SIGNING_SECRET, Slack } from './slack-server.ts'

export const ISSUE = 7
export const CHANNEL = 'C0OPS'

const SECRETS = {
  ...{ HOLDPOINT_SLACK_TOKEN: BOT_TOKEN, SLACK_SECRET: SIGNING_SECRET },
  ...{ HOLDPOINT_GITHUB_TOKEN: GITHUB_TOKEN, GITHUB_SECRET: WEBHOOK_SECRET },
}

export interface PeopleServer extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly slack: Slack
  readonly github: GitHub
}

export async function aPeopleServer(
  options: Pick<ProjectOptions, 'script'> & {
    readonly config?: Readonly<Record<string, unknown>>
    readonly channels?: Readonly<Record<string, unknown>>
    readonly flags?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<PeopleServer> {
  const [slack, github] = [await Slack.open(), await GitHub.open()]
  const people = { ana: { slack: 'U0ANA', github: 'ana' }, ben: { slack: 'U0BEN', github: 'ben-at-work' } }
  const channels = {
    slack: {
      ...{ token_env: 'HOLDPOINT_SLACK_TOKEN', signing_secret_env: 'SLACK_SECRET' },
      ...{ channel: CHANNEL, api_url: slack.api },
    },
    github: {
      ...{ token_env: 'HOLDPOINT_GITHUB_TOKEN', webhook_secret_env: 'GITHUB_SECRET' },
      ...{ issue: `${REPOSITORY}#${ISSUE}`, api_url: github.api },
    },
    ...options.channels,
  }
  const notify = { base_url: 'https://holds.example.com', channels }
  const script = options.script ?? [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
  const project = await aProject({
    ...{ script, policy: { default: 'prompt' }, env: { ...SECRETS, ...options.env } },
    config: { people, notify, ...options.config },
  })
  await project.holdpoint('trust', '--yes')
  const server = await aServer(project, ...(options.flags ?? []))
  slack.interactions = `${server.url}/slack/interactions`
  github.webhook = `${server.url}/github/webhook`
  return {
    ...{ project, server, slack, github },
    [Symbol.asyncDispose]: async () => {
      for (const each of [server, slack, github, project]) await each[Symbol.asyncDispose]()
    },
  }
}
