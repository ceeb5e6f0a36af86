/** A Slack workspace: the methods that the product calls, with Slack's own checks, and people who click. */
import { createHmac, randomUUID } from 'node:crypto'
import { objectionToBlocks } from './slack-blocks.ts'
import { jsonAnswer, until, type WireAnswer, type WireRequest, WireServer } from './wire-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
type Any = any

export const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
export const BOT_TOKEN = 'xoxb-0-test'
export const TEAM = 'T0HOME'

export interface SlackMessage {
  readonly channel: string
  readonly ts: string
  text: string
  blocks: Any[]
  readonly metadata: Any
  /** How often it was changed. */
  changes: number
}

export interface ClickOptions {
  /** Slack id. */
  readonly user: string
  readonly team?: string
  readonly secret?: string
  /** How long ago it was signed. */
  readonly ageSeconds?: number
  readonly triggerId?: string
  /** Changes the signature or the body after it was signed. */
  readonly spoil?: (sent: { body: string; signature: string }) => { body: string; signature: string }
}

export class Slack implements AsyncDisposable {
  readonly messages: SlackMessage[] = []
  /** Open modals, newest last. */
  readonly views: Any[] = []
  /** What was told to one person alone. */
  readonly whispers: { readonly user: string; readonly text: string }[] = []
  readonly wire: WireServer = new WireServer(request => this.#take(request))
  /** Where the app wants its clicks. */
  interactions = ''
  /** Scopes that the app does not have. */
  readonly missing: string[] = []
  #clock = 1_700_000_000
  readonly #triggers = new Map<string, { readonly at: number; used: boolean; readonly user: string }>()
  readonly #responses = new Map<string, { readonly user: string; left: number }>()

  static async open(): Promise<Slack> {
    const slack = new Slack()
    await slack.wire.listen()
    return slack
  }

  get api(): string {
    return `${this.wire.url}/api`
  }

  /** Messages to a channel or a person that name this hold, once there are so many. */
  async about(holdId: string, count = 1): Promise<readonly SlackMessage[]> {
    return until(() => {
      const found = this.messages.filter(({ blocks }) => JSON.stringify(blocks).includes(holdId))
      return found.length >= count ? found : null
    })
  }

  /** A message of this place about a hold, once it reads like this. */
  async message(place: string, ...words: readonly string[]): Promise<SlackMessage> {
    const isHere = ({ channel }: SlackMessage) => channel === place || channel === directOf(place)
    return until(() =>
      this.messages.find(each => isHere(each) && words.every(word => textOf(each.blocks).includes(word))),
    )
  }

  async click(message: SlackMessage, label: string, options: ClickOptions): Promise<Any> {
    const button = buttonsOf(message).find(({ text }) => text.text === label)
    if (!button)
      throw new TypeError(
        `no button ${label}: ${buttonsOf(message)
          .map(({ text }) => text.text)
          .join(', ')}`,
      )
    const { action_id, value, type } = button
    return this.press({ action_id, value, type, text: button.text }, message, options)
  }

  /** A press of a button that may be of another message, or of none. */
  async press(button: Any, { channel, ts }: Pick<SlackMessage, 'channel' | 'ts'>, options: ClickOptions): Promise<Any> {
    const response = randomUUID()
    this.#responses.set(response, { user: options.user, left: 5 })
    return this.deliver(
      {
        type: 'block_actions',
        ...this.#sender(options),
        container: { type: 'message', message_ts: ts, channel_id: channel },
        channel: { id: channel, name: 'ops' },
        response_url: `${this.wire.url}/actions/${response}`,
        actions: [{ ...button, block_id: 'b', action_ts: String(this.#clock) }],
      },
      options,
    )
  }

  /** The newest modal, filled in and sent. */
  async submit(text: string | null, options: ClickOptions): Promise<Any> {
    const view = this.views.at(-1)
    const values = { said: { said: { type: 'plain_text_input', value: text } } }
    return this.deliver(
      { type: 'view_submission', ...this.#sender(options), view: { ...view, id: 'V1', state: { values } } },
      options,
    )
  }

  /** As Slack posts it. Three seconds later Slack would give up. */
  async deliver(payload: unknown, { secret = SIGNING_SECRET, ageSeconds = 0, spoil }: ClickOptions): Promise<Any> {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    const time = String(Math.floor(Date.now() / 1000) - ageSeconds)
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
    const sent = spoil ? spoil({ body, signature }) : { body, signature }
    const response = await fetch(this.interactions, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': time,
        ...(sent.signature !== '' && { 'x-slack-signature': sent.signature }),
      },
      body: sent.body,
      signal: AbortSignal.timeout(3_000),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? null : JSON.parse(text) }
  }

  #sender({ user, team = TEAM, triggerId = randomUUID() }: ClickOptions): Any {
    if (!this.#triggers.has(triggerId)) this.#triggers.set(triggerId, { at: Date.now(), used: false, user })
    return {
      team: { id: TEAM, domain: 'home' },
      user: { id: user, username: user.toLowerCase(), team_id: team },
      api_app_id: 'A0APP',
      trigger_id: triggerId,
    }
  }

  #take({ path, headers, body }: WireRequest): WireAnswer {
    const given = body === '' ? {} : JSON.parse(body)
    if (path.startsWith('/actions/')) return this.#respond(path.slice('/actions/'.length), given)
    if (headers.authorization !== `Bearer ${BOT_TOKEN}`) return jsonAnswer({ ok: false, error: 'invalid_auth' })
    const method = METHODS[path.slice('/api/'.length)]
    if (!method) return jsonAnswer({ ok: false, error: 'unknown_method' })
    const answer = method(this, given)
    return jsonAnswer(typeof answer === 'string' ? { ok: false, error: answer } : { ok: true, ...answer })
  }

  #respond(id: string, given: Any): WireAnswer {
    const response = this.#responses.get(id)
    if (!response || response.left === 0) return { status: 404, body: 'expired_url' }
    response.left -= 1
    this.whispers.push({ user: response.user, text: textOf(given.blocks) })
    return { status: 200, body: 'ok' }
  }

  post({ channel, text, blocks, metadata = null }: Any): Any {
    const fault = objectionToBlocks(blocks)
    if (fault || typeof text !== 'string') return fault ?? 'no_text'
    if (channel === 'C0NOWHERE') return 'channel_not_found'
    const place = channel.startsWith('U') ? directOf(channel) : channel
    this.#clock += 1
    const ts = `${Math.floor(Date.now() / 1000)}.${String(this.#clock).slice(-6)}`
    this.messages.push({ channel: place, ts, text, blocks, metadata, changes: 0 })
    return { channel: place, ts }
  }

  update({ channel, ts, text, blocks }: Any): Any {
    const message = this.messages.find(each => each.channel === channel && each.ts === ts)
    if (!message) return 'message_not_found'
    const fault = objectionToBlocks(blocks)
    if (fault) return fault
    Object.assign(message, { text, blocks, changes: message.changes + 1 })
    return { channel, ts }
  }

  openView({ trigger_id, view }: Any): Any {
    const trigger = this.#triggers.get(trigger_id)
    if (!trigger || Date.now() - trigger.at > 3_000) return 'expired_trigger_id'
    if (trigger.used) return 'exchanged_trigger_id'
    trigger.used = true
    if (view.title.text.length > 24 || objectionToBlocks(view.blocks, 100) || view.private_metadata.length > 3_000)
      return 'invalid_arguments'
    this.views.push(view)
    return { view }
  }

  history({ channel, oldest, include_all_metadata }: Any): Any {
    if (this.missing.includes('history')) return 'missing_scope'
    const found = this.messages.filter(each => each.channel === channel && Number(each.ts) >= Number(oldest))
    return {
      messages: found.map(({ ts, text, metadata }) => ({ ts, text, ...(include_all_metadata && { metadata }) })),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wire[Symbol.asyncDispose]()
  }
}

const METHODS: Readonly<Record<string, (slack: Slack, given: Any) => Any>> = {
  'auth.test': () => ({ team_id: TEAM, user_id: 'U0BOT' }),
  'chat.postMessage': (slack, given) => slack.post(given),
  'chat.update': (slack, given) => slack.update(given),
  'views.open': (slack, given) => slack.openView(given),
  'conversations.open': (_, { users }) => ({ channel: { id: directOf(users) } }),
  'conversations.history': (slack, given) => slack.history(given),
  'chat.postEphemeral': (slack, { user, blocks }) => {
    slack.whispers.push({ user, text: textOf(blocks) })
    return {}
  },
}

/** The conversation of the app with a person. */
function directOf(user: string): string {
  return `D${user.slice(1)}`
}

export function buttonsOf({ blocks }: Pick<SlackMessage, 'blocks'>): Any[] {
  return blocks.filter(({ type }) => type === 'actions').flatMap(({ elements }) => elements)
}

export function labelsOf(message: Pick<SlackMessage, 'blocks'>): string[] {
  return buttonsOf(message).map(({ text }) => text.text)
}

/** All that people read in blocks. */
export function textOf(blocks: Any): string {
  if (Array.isArray(blocks)) return blocks.map(textOf).join('\n')
  if (typeof blocks !== 'object' || blocks === null) return ''
  const { text, elements } = blocks
  return [typeof text === 'string' ? text : textOf(text), textOf(elements)].filter(each => each !== '').join('\n')
}
