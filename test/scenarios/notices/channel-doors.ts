/** The channels of notices as doors: a person of each is told of holds there, and decides them there. */
import { createHmac } from 'node:crypto'
import type { ParsedMail } from 'mailparser'
import { type Door, once, type Raised, type Said } from '../doors/door.ts'
import type { ServerProcess } from '../server/server-process.ts'
import type { Comment, GitHub } from './github-server.ts'
import type { MailServer } from './mail-server.ts'
import { buttonsOf, labelsOf, type Slack, type SlackMessage, textOf } from './slack-server.ts'

export const INBOUND_SECRET = 'the-secret-of-the-inbound-route'

/** Each by name, with the address at which the project knows them. */
export const CHANNEL_PEOPLE = {
  ana: { slack: 'U0ANA' },
  ben: { github: 'ben-at-work' },
  dora: { mail: 'dora@example.org' },
  emil: { mail: 'emil@example.org' },
}

export interface ChannelSite {
  readonly server: ServerProcess
  readonly slack: Slack
  readonly github: GitHub
  readonly mail: MailServer
}

export function channelDoors(site: ChannelSite): Door[] {
  return [slackDoor(site), gitHubDoor(site), mailLinkDoor(site), mailReplyDoor(site)]
}

const NO_START = {
  raise: () => Promise.reject(new TypeError('nothing is started in a message')),
  transcript: async () => null,
  texts: async () => null,
  [Symbol.asyncDispose]: async () => {},
}

/** The name in the words that everybody is told by. */
const ENDED = /(?:approved|rejected) by (\w+)/
const LATE = /(\w+) already chose/

function winnerIn(words: string, pattern: RegExp): string | null {
  return pattern.exec(words)?.[1] ?? null
}

function slackDoor({ slack, server }: ChannelSite): Door {
  const messages = new Map<string, SlackMessage>()
  const person = 'ana'
  return {
    ...NO_START,
    ...{ name: 'Slack', person },
    shows: async ({ hold_id }) => {
      const message = await slack.message(CHANNEL_PEOPLE.ana.slack, hold_id)
      // As this person sees it: the buttons stay in their sight after they are gone.
      messages.set(hold_id, { ...message })
    },
    told: async ({ hold_id }) => {
      const message = await slack.message(CHANNEL_PEOPLE.ana.slack, hold_id)
      const name = await once(async () => winnerIn(textOf(message.blocks), ENDED))
      return labelsOf(message).join() === 'Open' ? name : 'there are buttons left'
    },
    decide: async ({ hold_id }, verdict) => {
      const message = messages.get(hold_id) as SlackMessage
      const button = buttonsOf(message).find(({ action_id }) => action_id === `holdpoint.${verdict}`)
      await slack.press(button, message, { user: CHANNEL_PEOPLE.ana.slack })
      return once(async () => {
        const whisper = slack.whispers.find(({ text }) => text.includes(hold_id))
        const winner = whisper && winnerIn(whisper.text, LATE)
        return winner ? { won: false, winner } : decidedAt(server, hold_id, { surface: 'slack', person })
      })
    },
  }
}

/** Of a channel that says no word to the one who wins: what is on record. */
async function decidedAt(
  server: ServerProcess,
  holdId: string,
  { surface, person }: { readonly surface: string; readonly person: string },
): Promise<Said | null> {
  const { decision } = (await server.send(`/v1/holds/${holdId}`)).json
  return decision?.surface === surface && decision.decided_by === person ? { won: true, winner: person } : null
}

function gitHubDoor({ github, server }: ChannelSite): Door {
  const [person, login] = ['ben', CHANNEL_PEOPLE.ben.github]
  const about = async ({ hold_id }: Raised) => (await github.said(`/approve ${hold_id}`))[0] as Comment
  const comments = new Map<string, Comment>()
  return {
    ...NO_START,
    ...{ name: 'GitHub', person },
    shows: async hold => void comments.set(hold.hold_id, await about(hold)),
    told: async ({ hold_id }) => once(async () => winnerIn(comments.get(hold_id)?.body ?? '', ENDED)),
    decide: async ({ hold_id }, verdict) => {
      await github.comment(7, `/${verdict} ${hold_id}`, { login })
      return once(async () => {
        const reply = github.comments.find(({ body }) => body.startsWith(`@${login}`) && body.includes(hold_id))
        const winner = reply && winnerIn(reply.body, LATE)
        return winner ? { won: false, winner } : decidedAt(server, hold_id, { surface: 'github', person })
      })
    },
  }
}

async function mailAbout(mail: MailServer, { hold_id }: Raised, address: string): Promise<ParsedMail> {
  const isIt = ({ text = '' }: ParsedMail, index: number) =>
    text.includes(hold_id) && mail.recipients[index]?.includes(address)
  return once(async () => mail.mails.find((each, index) => isIt(each, index)))
}

/** A mail cannot be changed: the page behind its link says how it ended. */
function mailLinkDoor({ mail, server }: ChannelSite): Door {
  const page = async (hold: Raised, init: RequestInit = {}) => {
    const { text = '' } = await mailAbout(mail, hold, CHANNEL_PEOPLE.dora.mail)
    const link = /https:\/\/holds\.example\.com(\/l\/\S+)/.exec(text)?.[1] ?? ''
    return (await fetch(`${server.url}${link}`, init)).text()
  }
  const toldIn = (words: string) => winnerIn(words, LATE) ?? /This link was used: (\w+) chose/.exec(words)?.[1] ?? null
  return {
    ...NO_START,
    ...{ name: 'a link in a mail', person: 'dora' },
    shows: async hold => {
      await once(async () => ((await page(hold)).includes('<form') ? true : null))
    },
    told: hold => once(async () => toldIn(await page(hold))),
    decide: async (hold, verdict) => {
      const shown = await server.send(`/v1/holds/${hold.hold_id}`)
      const form = new URLSearchParams({ verdict, digest: shown.json.digest, sure: 'yes' })
      const words = await page(hold, { method: 'POST', body: form })
      const winner = winnerIn(words, LATE)
      return winner ? { won: false, winner } : { won: true, winner: winnerIn(words, ENDED) ?? words }
    },
  }
}

function mailReplyDoor({ mail, server }: ChannelSite): Door {
  const address = CHANNEL_PEOPLE.emil.mail
  return {
    ...NO_START,
    ...{ name: 'a reply to a mail', person: 'emil' },
    shows: async hold => void (await mailAbout(mail, hold, address)),
    // Nothing more is told to a person who says nothing.
    told: async () => null,
    decide: async (hold, verdict) => {
      const { messageId = '' } = await mailAbout(mail, hold, address)
      const body = JSON.stringify({
        headers: [
          ['From', `Emil <${address}>`],
          ['To', 'Holdpoint <holds@example.org>'],
          ['Message-ID', `<${crypto.randomUUID()}@example.org>`],
          ['In-Reply-To', messageId],
        ],
        text: verdict === 'approve' ? 'approve' : 'deny: too late',
        dkim: [{ domain: 'example.org', result: 'pass' }],
      })
      const { json } = await server.send('/mail/inbound', { method: 'POST', body, headers: signed(body), token: '' })
      return { won: json.outcome === 'recorded', winner: json.decided_by ?? json.winner?.decided_by }
    },
  }
}

function signed(body: string): Readonly<Record<string, string>> {
  const time = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', INBOUND_SECRET).update(`msg_1.${time}.${body}`).digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
}
