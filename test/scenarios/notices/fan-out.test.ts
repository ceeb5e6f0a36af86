/** One hold, told on every channel: the first decision counts, and each message and each late click tells of it. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { once } from '../doors/door.ts'
import type { Finished } from '../project.ts'
import { openHold } from '../server/server-process.ts'
import { aPeopleServer, CHANNEL, ISSUE, type PeopleServer } from './people-server.ts'
import { aReceiver, eventsAt, type Receiver } from './receiver.ts'
import { labelsOf, textOf } from './slack-server.ts'

const NOTE = ['-e', 'require("fs").appendFileSync("told.txt", require("fs").readFileSync(0, "utf8") + "\\n")']

interface Site extends PeopleServer {
  readonly receiver: Receiver
}

interface Raised {
  readonly run_id: string
  readonly id: string
  readonly digest: string
}

/** A way to decide. Resolves to the words that the person is told; `null` if there are none to tell. */
type Decider = (site: Site, hold: Raised, verdict: 'approve' | 'reject') => Promise<string | null>

async function aSite(): Promise<Site & { readonly receiver: Receiver }> {
  const receiver = await aReceiver()
  const site = await aPeopleServer({
    channels: {
      webhook: { url: receiver.url, allow_private: true },
      command: { argv: [process.execPath, ...NOTE] },
    },
  })
  return {
    ...site,
    receiver,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const RAISE: Readonly<Record<string, (site: Site) => Promise<Raised>>> = {
  REST: async ({ server }) => {
    const { json } = await server.send('/v1/threads', { body: { input: 'deploy' } })
    return openHold(server, json.run_id)
  },
  'the command line': async ({ server, project }) => {
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
    return openHold(server, json.run_id)
  },
  'the AI SDK': async ({ server }) => {
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'deploy' }] }
    const id = `chat-${Math.random()}`
    await (await server.fetch('/api/chat', { body: { id, messages: [message], trigger: 'submit-message' } })).text()
    const { json } = await server.send('/v1/holds')
    return json.holds.at(-1)
  },
}

const ANA = { user: 'U0ANA' }

/** Each as another person would do it. */
const DECIDE: Readonly<Record<string, Decider>> = {
  Slack: async ({ slack, server }, hold, verdict) => {
    const message = (await slack.about(hold.id))[0] as Awaited<ReturnType<typeof slack.about>>[number]
    const before = slack.whispers.length
    const value = JSON.stringify({ h: hold.id, d: hold.digest, l: 0 })
    await slack.press({ action_id: 'holdpoint.approve', value, type: 'button' }, message, ANA)
    expect(verdict).toBe('approve')
    const isOurs = async () => (await server.send(`/v1/holds/${hold.id}`)).json.decision?.surface === 'slack'
    return once(async () => slack.whispers[before]?.text ?? ((await isOurs()) ? 'recorded' : null))
  },
  GitHub: async ({ github }, hold, verdict) => {
    const { comment } = await github.comment(ISSUE, `/${verdict} ${hold.id}`, { login: 'ben-at-work' })
    const [reaction] = await once(async () => (comment.reactions.length > 0 ? comment.reactions : null))
    return reaction === '+1' ? 'recorded' : ((await github.said('@ben-at-work')).at(-1)?.body ?? null)
  },
  REST: async ({ server }, hold, verdict) => {
    const { json } = await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict } })
    return json.outcome ?? json.detail
  },
  'the command line': async ({ project }, hold, verdict) => {
    const { exit, stderr }: Finished = await project.run([verdict, hold.id], { env: { HOLDPOINT_ACTOR: 'cleo' } })
    return exit === 0 ? 'recorded' : stderr
  },
}

const SIGNS: Readonly<Record<string, string>> = { Slack: 'ana', GitHub: 'ben', REST: 'ana', 'the command line': 'cleo' }

const PAIRS = [
  ['REST', 'Slack'],
  ['the command line', 'GitHub'],
  ['the AI SDK', 'the command line'],
  ['REST', 'REST'],
] as const

test.each(PAIRS)(
  'P2: raised by %s, noticed everywhere, decided by %s: one decision, and all the others are told of it',
  async (from, at) => {
    await using site = await aSite()
    const { server, project, slack, github, receiver } = site
    const hold = await (RAISE[from] as (typeof RAISE)[string])(site)
    const [inSlack] = await slack.about(hold.id)
    const [onGitHub] = await github.said(hold.id)
    await once(async () => (eventsAt(receiver).includes('hold.opened') ? true : null))
    await once(async () => (existsSync(project.path('told.txt')) ? true : null))
    expect(inSlack).toMatchObject({ channel: CHANNEL })
    expect(labelsOf(inSlack as NonNullable<typeof inSlack>)).toEqual(['Approve', 'Reject…', 'Open'])

    expect(await (DECIDE[at] as Decider)(site, hold, 'approve')).toContain('recorded')
    const winner = SIGNS[at] as string
    await once(async () => (textOf(inSlack?.blocks).includes(`approved by ${winner}`) ? true : null))
    await once(async () => (onGitHub?.body.includes(`approved by ${winner}`) ? true : null))
    await once(async () => (eventsAt(receiver).includes('hold.decided') ? true : null))
    expect(labelsOf(inSlack as NonNullable<typeof inSlack>)).toEqual(['Open'])
    expect(onGitHub?.body).not.toContain('/approve')

    for (const late of Object.keys(DECIDE).filter(name => name !== at)) {
      const told = await (DECIDE[late] as Decider)(site, hold, 'approve')
      expect([late, told]).toEqual([late, expect.stringMatching(new RegExp(`${winner} already chose approve`))])
    }
    await once(async () => (await server.send(`/v1/runs/${hold.run_id}`)).json.termination)
    expect(await project.effects()).toEqual(['applied'])
    expect(eventsAt(receiver).filter(event => event === 'hold.opened')).toHaveLength(1)
    expect(slack.messages).toHaveLength(1)
    const told = readFileSync(project.path('told.txt'), 'utf8')
      .split('\n')
      .filter(line => line !== '')
    expect(told.map(line => JSON.parse(line).type)).toContain('hold.opened')
    expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
  },
)

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
