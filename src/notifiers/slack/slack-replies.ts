import type { Json } from '../../core/text/json.ts'
import { SLACK_API, SlackApi, type SlackApiOptions } from './slack-api.ts'

/** The person who clicked, and where. */
interface Clicked {
  readonly userId: string
  readonly channel: string | null
  readonly responseUrl: string | null
}

/** Slack gives a click three seconds, and the answer to it has to fit in as well. */
const OPEN_MS = 2_000
const WHISPER_MS = 10_000
const ASK_MS = 2_000

/** Answers a person who clicked, as well as the message that everybody sees. */
export class SlackReplies {
  readonly #api: SlackApi
  readonly #url: URL
  #team: Promise<string> | null = null

  constructor(options: SlackApiOptions) {
    this.#api = new SlackApi(options)
    this.#url = new URL(options.url ?? SLACK_API)
  }

  async whisper({ userId: user, channel, responseUrl }: Clicked, text: string): Promise<void> {
    const signal = AbortSignal.timeout(WHISPER_MS)
    const blocks = [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }]
    const message = { text: 'Nothing was recorded.', blocks }
    if (responseUrl !== null && this.#isSlacks(responseUrl)) {
      const body = { response_type: 'ephemeral', replace_original: false, ...message }
      await this.#api.post(responseUrl, body, { signal })
    } else if (channel !== null) await this.#api.call('chat.postEphemeral', { channel, user, ...message }, signal)
  }

  async openView(trigger_id: string, view: Json): Promise<void> {
    await this.#api.call('views.open', { trigger_id, view }, AbortSignal.timeout(OPEN_MS))
  }

  /** The workspace of the bot token. It is asked for once; a failure is not kept. */
  async team(): Promise<string> {
    this.#team ??= this.#askTeam()
    try {
      return await this.#team
    } catch (thrown) {
      this.#team = null
      throw thrown
    }
  }

  async #askTeam(): Promise<string> {
    const { team_id } = await this.#api.call('auth.test', {}, AbortSignal.timeout(ASK_MS))
    return String(team_id)
  }

  /** The body of a request is signed; that its URL is one of Slack is checked all the same. */
  #isSlacks(url: string): boolean {
    const { protocol, hostname, origin } = URL.parse(url) ?? { protocol: '', hostname: '', origin: '' }
    if (origin === this.#url.origin) return true
    return protocol === 'https:' && SLACK_HOSTS.includes(hostname)
  }
}

const SLACK_HOSTS: readonly string[] = ['hooks.slack.com', 'hooks.slack-gov.com']
