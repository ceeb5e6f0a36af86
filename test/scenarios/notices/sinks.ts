/** The far end of each channel, as a test asks it: which messages came, and what they say now. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GITHUB_TOKEN, GitHub, REPOSITORY } from './github-server.ts'
import { aMailServer } from './mail-server.ts'
import { aReceiver } from './receiver.ts'
import { BOT_TOKEN, Slack, textOf } from './slack-server.ts'

export interface Arrived {
  /** Of the notice. */
  readonly id: string
  /** All that its reader sees now. */
  readonly text: string
}

export interface Sink extends AsyncDisposable {
  /** For `notify.channels`. */
  readonly channels: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  /** Its messages, oldest first; of a sink that only hears, those since `keep`. */
  arrived(): readonly Arrived[]
  /** Remembers how things are; what it returns puts them back. */
  keep(): () => void
}

export type OpenSink = () => Promise<Sink>

export const PEOPLE = {
  ana: { slack: 'U0ANA', mail: 'ana@example.org', github: 'ana' },
  ben: { slack: 'U0BEN', mail: 'ben@example.org', github: 'ben-at-work' },
}

export const SINKS: Readonly<Record<'webhook' | 'command' | 'Slack' | 'GitHub' | 'mail', OpenSink>> = {
  webhook: async () => {
    const receiver = await aReceiver()
    const all = sinceKept(() => receiver.posts)
    return {
      channels: { webhook: { url: receiver.url, allow_private: true } },
      env: {},
      arrived: () => all.read().map(({ headers, body }) => ({ id: String(headers['webhook-id']), text: body })),
      keep: all.keep,
      [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
    }
  },
  command: async () => {
    const place = mkdtempSync(join(tmpdir(), 'holdpoint-told-'))
    const file = join(place, 'told.jsonl')
    appendFileSync(file, '')
    const all = sinceKept(() => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    return {
      channels: { command: { argv: ['sh', '-c', 'cat >> "$0"', file] } },
      env: {},
      arrived: () => all.read().map(line => ({ id: JSON.parse(line).id, text: line })),
      keep: all.keep,
      [Symbol.asyncDispose]: async () => rmSync(place, { recursive: true, force: true, maxRetries: 10 }),
    }
  },
  Slack: async () => {
    const slack = await Slack.open()
    return {
      channels: { slack: { token_env: 'SLACK_TOKEN', signing_secret_env: 'SLACK_TOKEN', api_url: slack.api } },
      env: { SLACK_TOKEN: BOT_TOKEN },
      arrived: () =>
        slack.messages.map(({ metadata, blocks }) => ({ id: metadata.event_payload.id, text: textOf(blocks) })),
      keep: () => copyOf(slack.messages),
      [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
    }
  },
  GitHub: async () => {
    const github = await GitHub.open()
    return {
      channels: { github: { token_env: 'GITHUB_TOKEN', issue: `${REPOSITORY}#7`, api_url: github.api } },
      env: { GITHUB_TOKEN },
      arrived: () =>
        github.comments.map(({ body }) => ({ id: /holdpoint (ntc_\w+)/.exec(body)?.[1] ?? '', text: body })),
      keep: () => copyOf(github.comments),
      [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
    }
  },
  mail: async () => {
    const server = await aMailServer()
    const all = sinceKept(() => server.mails)
    return {
      channels: { mail: { smtp_env: 'SMTP_URL', from: 'Holdpoint <holds@example.org>', follow_up: true } },
      env: { SMTP_URL: server.url },
      arrived: () =>
        all.read().map(({ messageId = '', text = '' }) => ({ id: messageId.slice(1).replace(/@.*/, ''), text })),
      keep: all.keep,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

function sinceKept<T>(all: () => readonly T[]): { read(): readonly T[]; keep(): () => void } {
  let from = 0
  const forget = () => {
    from = all().length
  }
  return {
    read: () => all().slice(from),
    keep: () => {
      forget()
      return forget
    },
  }
}

function copyOf<T extends object>(messages: T[]): () => void {
  const kept = messages.map(each => ({ ...each }))
  return () => void messages.splice(0, messages.length, ...kept.map(each => ({ ...each })))
}
