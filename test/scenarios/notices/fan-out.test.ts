/** One hold, told on every channel: the first decision counts, and each message and each late click tells of it. */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { once } from '../doors/door.ts'
import { OpenDoors } from '../doors/open-doors.ts'
import { openHold } from '../server/server-process.ts'
import { CHANNEL_PEOPLE, channelDoors, INBOUND_SECRET } from './channel-doors.ts'
import { aMailServer } from './mail-server.ts'
import { aPeopleServer } from './people-server.ts'
import { aReceiver, type Receiver } from './receiver.ts'
import { labelsOf, textOf } from './slack-server.ts'

const NOTE = ['-e', 'require("fs").appendFileSync("told.txt", require("fs").readFileSync(0, "utf8") + "\\n")']
const DECIDERS = [...Object.keys(CHANNEL_PEOPLE), 'clio', 'lila', 'rea', 'mia']

interface Site extends AsyncDisposable {
  /** The doors of the product, and each channel that takes decisions. */
  readonly doors: OpenDoors
  readonly receiver: Receiver
}

/** A project that tells on five channels. */
async function aSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack()
  const receiver = opened.use(await aReceiver())
  const mail = opened.use(await aMailServer())
  const site = opened.use(
    await aPeopleServer({
      env: { SMTP_URL: mail.url, INBOUND_SECRET },
      config: { people: CHANNEL_PEOPLE, deciders: DECIDERS },
      channels: {
        webhook: { url: receiver.url, allow_private: true },
        command: { argv: [process.execPath, ...NOTE] },
        mail: { smtp_env: 'SMTP_URL', from: 'Holdpoint <holds@example.org>', inbound_secret_env: 'INBOUND_SECRET' },
      },
    }),
  )
  const doors = await OpenDoors.around(site.project, site.server, { deciders: DECIDERS })
  doors.all.push(...channelDoors({ ...site, mail }))
  const closing = opened.move()
  return {
    ...{ doors, receiver },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(doors.all.map(door => door[Symbol.asyncDispose]()))
      await closing.disposeAsync()
    },
  }
}

/** Of each site a few stories: a person who is told more within a minute gets them as one message. */
const STORIES: readonly (readonly (readonly [from: string, at: string])[])[] = [
  [
    ['command line', 'Slack'],
    ['library', 'GitHub'],
    ['REST', 'a link in a mail'],
  ],
  [
    ['MCP', 'a reply to a mail'],
    ['REST', 'command line'],
    ['command line', 'MCP'],
  ],
]

describe.each(STORIES.map(pairs => ({ pairs })))('noticed on five channels', ({ pairs }) => {
  let site: Site
  beforeAll(async () => {
    site = await aSite()
  })
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
  })

  test.each(pairs)(
    'P2: raised by %s and decided by %s: one decision, and every message and every late click names who was first',
    async (from, at) => {
      const { doors, receiver } = site
      const before = { posts: receiver.posts.length, told: toldIn(doors).length }
      await doors.story(from, at)
      const winner = doors.named(at).person
      const posts = await once(async () => (receiver.posts.length >= before.posts + 3 ? receiver.posts : null))
      const told = await once(async () => (toldIn(doors).length >= before.told + 3 ? toldIn(doors) : null))
      for (const all of [posts.slice(before.posts).map(({ json }) => json), told.slice(before.told)])
        expect(all).toMatchObject([
          { type: 'hold.opened' },
          { type: 'hold.decided', data: { decision: { verdict: 'approve', decided_by: winner } } },
          { type: 'hold.ended', data: { result: { status: 'succeeded', failed: false } } },
        ])
    },
  )
})

test('P2: of all doors and channels at the same moment, one wins, and each is told the same name', async () => {
  await using site = await aSite()
  const { doors } = site
  for (const from of ['REST', 'command line']) await doors.race(doors.named(from))
  expect((await doors.project.holdpoint('audit', 'verify')).exit).toBe(0)
})

/** All that the command was told on its stdin. */
function toldIn({ project }: OpenDoors): readonly unknown[] {
  const file = project.path('told.txt')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}

test('people who are asked by name hear in person, and the message to each says who decided', async () => {
  await using site = await aPeopleServer({ config: { deciders: ['ana', 'ben'] } })
  const { server, slack } = site
  const { json } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, json.run_id)
  const messages = await slack.about(hold.id, 2)
  expect(messages.map(({ channel }) => channel).toSorted()).toEqual(['D0ANA', 'D0BEN'])
  const toBen = messages.find(({ channel }) => channel === 'D0BEN') as (typeof messages)[number]
  await slack.click(toBen, 'Approve', { user: 'U0BEN' })
  for (const message of messages)
    await once(async () => (textOf(message.blocks).includes('approved by ben') ? true : null))
  expect(messages.map(labelsOf)).toEqual([['Open'], ['Open']])
})

test('P4: a message whose answer was cut off is changed in the end, and nobody waited for it', async () => {
  await using site = await aPeopleServer({ channels: { github: undefined } })
  const { server, slack } = site
  slack.wire.fail('chat.postMessage', 'cut')
  const { json } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, json.run_id)
  const [message] = await slack.about(hold.id)
  const decided = await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'reject' } })
  expect(decided.json.outcome).toBe('recorded')
  await once(async () => (textOf(message?.blocks).includes('rejected by ana') ? true : null))
  expect(slack.messages).toHaveLength(1)
})
