/** How the server speaks back to the services in which people decide. Loaded only if the configuration names one. */
import { GitHubApi, type GitHubApiOptions } from '../../../notifiers/github/github-api.ts'
import { GitHubReplies } from '../../../notifiers/github/github-replies.ts'
import type { SlackApiOptions } from '../../../notifiers/slack/slack-api.ts'
import { SlackReplies } from '../../../notifiers/slack/slack-replies.ts'

export function slackReplies(options: SlackApiOptions): SlackReplies {
  return new SlackReplies(options)
}

export function gitHubReplies(options: GitHubApiOptions): GitHubReplies {
  return new GitHubReplies(new GitHubApi(options))
}
