import { createHmac } from 'node:crypto'
import type { ParsedMail } from 'mailparser'
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from '../server/server-process.ts'
import { aMailServer, type MailServer } from './mail-server.ts'

const SECRET = 'the-secret-of-the-inbound-route'
const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']

interface Scene extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly mail: MailServer
  /** The mail to this person, once it is there. */
  mailTo(person: string): Promise<ParsedMail>
  start(): Promise<string>
}

async function aScene(ofMail: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const mail = await aMailServer()
  const project = await aProject({
    ...{ script, policy: { default: 'prompt' }, env: { SMTP_URL: mail.url, INBOUND_SECRET: SECRET } },
    config: {
      people: { ana: { mail: 'ana@example.org' }, ben: { mail: 'ben@example.org' } },
      deciders: { people: ['ana', 'ben'] },
      notify: {
        base_url: 'https://holds.example.org',
        channels: {
          mail: {
            ...{ smtp_env: 'SMTP_URL', from: 'Holdpoint <holds@example.org>', inbound_secret_env: 'INBOUND_SECRET' },
            ...ofMail,
          },
        },
      },
    },
  })
  await project.holdpoint('trust', '--yes')
  const server = await aServer(project)
  return {
    ...{ project, server, mail },
    mailTo: person =>
      expect
        .poll(() => mail.mails.find((_, index) => mail.recipients[index]?.includes(`${person}@example.org`)), {
          timeout: 10_000,
        })
        .toBeTruthy()
        .then(
          () => mail.mails.find((_, index) => mail.recipients[index]?.includes(`${person}@example.org`)) as ParsedMail,
        ),
    start: async () => (await server.send('/v1/threads', { body: { input: 'deploy' } })).json.run_id,
    [Symbol.asyncDispose]: async () => {
      for (const each of [server, mail, project]) await each[Symbol.asyncDispose]()
    },
  }
}

/** The path of the link in a mail. */
function linkIn({ text = '' }: ParsedMail): string {
  return /https:\/\/holds\.example\.org(\/l\/\S+)/.exec(text)?.[1] ?? ''
}

async function post(server: ServerProcess, link: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${server.url}${link}`, { method: 'POST', body: new URLSearchParams(fields) })
}

test('each decider gets a mail with a link of their own; scanners fetch it, one approves, and the other is told who was first', async () => {
  await using scene = await aScene()
  const { server } = scene
  const run = await scene.start()
  const hold = await openHold(server, run)
  const [ana, ben] = [await scene.mailTo('ana'), await scene.mailTo('ben')]
  expect(ana.subject).toContain('asks: ')
  expect(ana.text).toContain('echo applied')
  expect(linkIn(ana)).not.toBe(linkIn(ben))

  for (const init of [{}, { method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch' } }])
    expect((await fetch(`${server.url}${linkIn(ana)}`, init)).status).toBe(200)
  expect((await server.send(`/v1/holds/${hold.id}`)).json.status).toBe('open')

  const page = await (await fetch(`${server.url}${linkIn(ana)}`)).text()
  const digest = /name="digest" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const done = await post(server, linkIn(ana), { verdict: 'approve', sure: 'yes', digest })
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('approved by ana')])
  await doneRun(server, run)
  expect(await scene.project.effects()).toEqual(['applied'])

  const late = await fetch(`${server.url}${linkIn(ben)}`)
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('ana already chose approve')])
  expect((await scene.project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test('without links, a mail leads to the page of the hold, where people sign in', async () => {
  await using scene = await aScene({ links: false })
  const hold = await openHold(scene.server, await scene.start())
  const { text = '' } = await scene.mailTo('ana')
  expect(text).not.toContain('/l/')
  expect(text).toContain(`https://holds.example.org/holds/${hold.id}`)
})

test('a reply to a mail decides, and a forged one does not', async () => {
  await using scene = await aScene()
  const { server } = scene
  const run = await scene.start()
  const mail = await scene.mailTo('ben')
  expect(mail.text).toContain('reply to this mail with `approve`')
  const body = JSON.stringify({
    headers: [
      ['From', 'Ben <ben@example.org>'],
      ['To', 'Holdpoint <holds@example.org>'],
      ['Message-ID', '<r1@example.org>'],
      ['In-Reply-To', mail.messageId],
    ],
    text: `approve\n\nOn Monday, Holdpoint <holds@example.org> wrote:\n${(mail.text ?? '').replaceAll(/^/gm, '> ')}`,
    dkim: [{ domain: 'example.org', result: 'pass' }],
  })
  const reply = (key: string) => {
    const time = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64')
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
    return server.send('/mail/inbound', { method: 'POST', body, headers, token: '' })
  }
  expect((await reply('another')).status).toBe(401)
  expect((await reply(SECRET)).json).toMatchObject({ outcome: 'recorded', verdict: 'approve', decided_by: 'ben' })
  await doneRun(server, run)
  expect((await reply(SECRET)).json).toMatchObject({ outcome: 'duplicate' })
  expect(await scene.project.effects()).toEqual(['applied'])
})

test('a mail server that is down delays nothing, and the mail comes later', async () => {
  await using scene = await aScene()
  scene.mail.troubles.push({ at: 'recipient', code: 451 }, { at: 'text', code: 451 })
  const run = await scene.start()
  await openHold(scene.server, run)
  const mail = await scene.mailTo('ana')
  expect(linkIn(mail)).toMatch(/^\/l\/hp_/)
})

test.each([
  ['a sender that is none', { from: 'holds' }, 'from'],
  ['two senders', { from: 'a@example.org, b@example.org' }, 'from'],
  ['an address for replies that is none', { from: 'holds@example.org', reply_to: 'x' }, 'reply_to'],
])('serve refuses %s in its configuration', async (_what, mail, key) => {
  const notify = { base_url: 'https://holds.example.org', channels: { mail: { smtp_env: 'SMTP_URL', ...mail } } }
  await using project = await aProject({ script, config: { people: { ana: { mail: 'ana@example.org' } }, notify } })
  const refused = await project.holdpoint('serve', '--port', '0')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(`notify.channels.mail.${key}`) })
})
