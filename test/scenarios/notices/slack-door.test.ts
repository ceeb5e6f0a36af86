/** Clicks in Slack, over the real wire in both directions. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { noticeText } from '../../../src/core/notice/notice-text.ts'
import type { Hold, Json } from '../../../src/index.ts'
import { SlackApi } from '../../../src/notifiers/slack/slack-api.ts'
import { SlackNotifier } from '../../../src/notifiers/slack/slack-notifier.ts'
import { SlackReplies } from '../../../src/notifiers/slack/slack-replies.ts'
import { openSlack } from '../../../src/protocols/slack/open-slack.ts'
import { aHeldStore, type HeldStore, type Served, served } from './held-store.ts'
import { BOT_TOKEN, buttonsOf, labelsOf, SIGNING_SECRET, Slack, type SlackMessage, textOf } from './slack-server.ts'
import { until } from './wire-server.ts'

const PEOPLE: Readonly<Record<string, string>> = { U0ANA: 'ana', U0BEN: 'ben' }
const ANA = { user: 'U0ANA' }
const BEN = { user: 'U0BEN' }
const signal = AbortSignal.timeout(60_000)

interface Office extends AsyncDisposable {
  readonly slack: Slack
  readonly store: HeldStore
  /** The message about a hold in the channel of the project. */
  send(hold: Hold): Promise<SlackMessage>
}

async function anOffice(options: Parameters<typeof aHeldStore>[0] = {}): Promise<Office> {
  const [slack, store] = [await Slack.open(), await aHeldStore(options)]
  const credentials = { token: BOT_TOKEN, url: slack.api }
  const replies = new SlackReplies(credentials)
  const door: Served = await served(
    openSlack({
      holdpoint: store.holdpoint,
      signingSecrets: ['the-secret-before', SIGNING_SECRET],
      personOf: id => PEOPLE[id] ?? null,
      team: () => replies.team(),
      replies,
      now: () => Date.now(),
      onError: () => {},
    }),
  )
  slack.interactions = `${door.url}/slack/interactions`
  const notifier = new SlackNotifier(new SlackApi(credentials), { hasButtons: true })
  return {
    slack,
    store,
    send: async hold => {
      const notice = noticeOf(hold)
      await notifier.send(notice, 'C0OPS', { signal })
      return slack.messages.at(-1) as SlackMessage
    },
    [Symbol.asyncDispose]: async () => {
      await door[Symbol.asyncDispose]()
      await slack[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function noticeOf(hold: Hold) {
  const occasion = { event: 'opened', about: '', person: null, now: Date.now(), result: null } as const
  return {
    ...{
      id: `notice_${hold.id}`,
      event: 'opened' as const,
      at: hold.opened_at,
      person: null,
      hold,
      result: null,
      holds: [],
      run: null,
    },
    ...{ url: `https://holds.example.com/holds/${hold.id}`, text: noticeText(hold, occasion) },
  }
}

test('a message shows the request in full, and Approve decides in the name of the person whom Slack proves', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund', { cents: 1_200, note: '<!channel> & <https://evil.example|here>' })
  const message = await office.send(hold)
  expect(labelsOf(message)).toEqual(['Approve', 'Reject…', 'Open'])
  expect(textOf(message.blocks)).toContain('note: <!channel> & <https://evil.example|here>')
  expect(JSON.stringify(message.blocks)).not.toContain('mrkdwn')
  expect(message.text).not.toMatch(/<|>/)
  expect(await office.slack.click(message, 'Approve', ANA)).toEqual({ status: 200, json: null })
  expect((await office.store.now(hold)).decision).toMatchObject({
    ...{ verdict: 'approve', decided_by: 'ana', surface: 'slack', digest: hold.digest },
  })
  expect(office.slack.whispers).toEqual([])
})

test('Reject asks for the reason in a modal, and the reason is what the agent reads', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  expect((await office.slack.click(message, 'Reject…', ANA)).status).toBe(200)
  expect((await office.store.now(hold)).status).toBe('open')
  expect(textOf(office.slack.views[0].blocks)).toContain('refund')
  expect(await office.slack.submit('  too much  ', ANA)).toEqual({ status: 200, json: null })
  expect((await office.store.now(hold)).decision).toMatchObject({ verdict: 'reject', reason: 'too much' })
})

test('P1: an override is approved by the word that it names, typed in a modal', async () => {
  await using office = await anOffice({ policy: { tools: { refund: 'never' } } })
  const hold = await office.store.hold('refund', { order: 'o-7', to: 'eve@evil.example' })
  expect(hold.overrides_never).toBe(true)
  const message = await office.send(hold)
  expect(message.text).toContain('[policy says never]')
  await office.slack.click(message, 'Approve…', ANA)
  expect(textOf(office.slack.views[0].blocks)).toContain('POLICY SAYS NEVER')
  const refused = await office.slack.submit('yes', ANA)
  expect(textOf(refused.json.view.blocks)).toContain('needs the word eve@evil.example')
  expect((await office.store.now(hold)).status).toBe('open')
  await office.slack.click(message, 'Approve…', ANA)
  expect(await office.slack.submit(' Eve@evil.example ', ANA)).toEqual({ status: 200, json: null })
  expect((await office.store.now(hold)).decision).toMatchObject({ verdict: 'approve', decided_by: 'ana' })
})

test('a question has its choices as buttons, and one without choices takes words', async () => {
  await using office = await anOffice()
  const choice = await office.store.hold('ask', { message: 'Where to?', choices: ['test', 'production'] })
  const asked = await office.send(choice)
  expect(labelsOf(asked)).toEqual(['test', 'production', 'Reject…', 'Open'])
  await office.slack.click(asked, 'production', ANA)
  expect((await office.store.now(choice)).decision).toMatchObject({ verdict: 'respond', value: 'production' })

  const open = await office.store.hold('ask', { message: 'Which city?' })
  await office.slack.click(await office.send(open), 'Answer…', BEN)
  await office.slack.submit('Graz', BEN)
  expect((await office.store.now(open)).decision).toMatchObject({ value: 'Graz', decided_by: 'ben' })
})

test('P2: a click that Slack sends twice counts once, and who comes late is told in private who was first', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  const same = { ...ANA, triggerId: 'one-click' }
  expect((await office.slack.click(message, 'Approve', same)).status).toBe(200)
  expect((await office.slack.click(message, 'Approve', same)).status).toBe(200)
  expect(office.slack.whispers).toEqual([])

  await office.slack.click(message, 'Approve', BEN)
  const [told] = await until(() => (office.slack.whispers.length > 0 ? office.slack.whispers : null))
  expect(told).toMatchObject({ user: 'U0BEN', text: expect.stringContaining('ana already chose approve') })
  await office.slack.click(message, 'Reject…', BEN)
  const [, again] = await until(() => (office.slack.whispers.length > 1 ? office.slack.whispers : null))
  expect(again).toMatchObject({ user: 'U0BEN', text: expect.stringContaining('ana already chose approve') })
  expect(office.slack.views).toEqual([])
  const late = ['already_decided', 'ben']
  expect(await office.store.refusals()).toEqual([late, late])
})

test('who fills in a modal too late reads there who was first', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  await office.slack.click(message, 'Reject…', BEN)
  await office.slack.click(message, 'Approve', ANA)
  const late = await office.slack.submit('no', BEN)
  expect(late.json).toMatchObject({ response_action: 'update', view: { type: 'modal' } })
  expect(textOf(late.json.view.blocks)).toContain('ana already chose approve')
})

test('P1: people whom the project does not know, and those of other workspaces, decide nothing and are on record', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  expect((await office.slack.click(message, 'Approve', { user: 'U0EVE' })).status).toBe(200)
  expect((await office.slack.click(message, 'Approve', { ...ANA, team: 'T0OTHER' })).status).toBe(200)
  const whispers = await until(() => (office.slack.whispers.length === 2 ? office.slack.whispers : null))
  expect(whispers.map(({ text }) => text)).toEqual([expect.stringContaining('knows no person'), expect.any(String)])
  expect((await office.store.now(hold)).status).toBe('open')
  expect(await office.store.refusals()).toEqual([
    ['unknown_person', 'slack:T0HOME/U0EVE'],
    ['unknown_person', 'slack:T0OTHER/U0ANA'],
  ])
})

test('P1: the deciders of a hold count in Slack too', async () => {
  await using office = await anOffice({ deciders: ['ben'] })
  const hold = await office.store.hold('refund')
  await office.slack.click(await office.send(hold), 'Approve', ANA)
  const [told] = await until(() => (office.slack.whispers.length > 0 ? office.slack.whispers : null))
  expect(told?.text).toContain('Who may: ben.')
  expect((await office.store.now(hold)).status).toBe('open')
})

const spoiled = (body: string, signature: string) => ({ body, signature })
const signedByHand = (body: string) =>
  `v0=${createHmac('sha256', SIGNING_SECRET)
    .update(`v0:${Math.floor(Date.now() / 1000)}:${body}`)
    .digest('hex')}`

test.each([
  ['forged', { secret: 'another-secret' }, 'invalid_signature'],
  [
    'of another body',
    { spoil: (s: { body: string; signature: string }) => spoiled(`${s.body}&x=1`, s.signature) },
    'invalid_signature',
  ],
  [
    'shortened',
    { spoil: (s: { body: string; signature: string }) => spoiled(s.body, s.signature.slice(0, -2)) },
    'invalid_signature',
  ],
  [
    'of an older version',
    { spoil: (s: { body: string }) => spoiled(s.body, signedByHand(s.body).replace('v0', 'v1')) },
    'invalid_signature',
  ],
  ['missing', { spoil: (s: { body: string }) => spoiled(s.body, '') }, 'signature_missing'],
  ['older than five minutes', { ageSeconds: 301 }, 'signature_too_old'],
  ['of the future', { ageSeconds: -301 }, 'signature_too_old'],
])('P1: a signature that is %s gets 401, decides nothing, and is on record', async (_, options, code) => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const answer = await office.slack.click(await office.send(hold), 'Approve', { ...ANA, ...options })
  expect(answer).toMatchObject({ status: 401, json: { code } })
  expect((await office.store.now(hold)).status).toBe('open')
  expect(await office.store.refusals()).toEqual([[code, null]])
})

test('the secret before the present one counts too, so that an app can change it', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  await office.slack.click(await office.send(hold), 'Approve', { ...ANA, secret: 'the-secret-before' })
  expect((await office.store.now(hold)).status).toBe('decided')
})

test('a flood of forged requests fills no log', async () => {
  await using office = await anOffice()
  const message = await office.send(await office.store.hold('refund'))
  for (let n = 0; n < 30; n++) await office.slack.click(message, 'Approve', { ...ANA, secret: 'another-secret' })
  expect(await office.store.refusals()).toHaveLength(20)
})

test('P9: a button that carries another digest or level than the hold has decides nothing', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  const [approve] = buttonsOf(message)
  const others = [{ d: `sha256:${'0'.repeat(64)}` }, { d: null }, { l: 1 }]
  for (const other of others) {
    const value = JSON.stringify({ ...JSON.parse(approve.value), ...other })
    await office.slack.press({ ...approve, value }, message, ANA)
  }
  await until(() => (office.slack.whispers.length === others.length ? true : null))
  for (const { text } of office.slack.whispers) expect(text).toContain('changed since this message was sent')
  expect((await office.store.now(hold)).status).toBe('open')
})

test.each([
  ['no form', 'payload'],
  ['no JSON', `payload=${encodeURIComponent('{"type":"block_actions"')}`],
  ['no actions', `payload=${encodeURIComponent('{"type":"block_actions","actions":[]}')}`],
  [
    'no user',
    `payload=${encodeURIComponent(JSON.stringify({ type: 'block_actions', actions: [{ action_id: 'holdpoint.approve', value: '{"h":"hold_1","l":0}' }] }))}`,
  ],
])('a signed body with %s gets 400, and clicks of other apps are left alone', async (_, body) => {
  await using office = await anOffice()
  const spoil = () => spoiled(body, signedByHand(body))
  expect(await office.slack.deliver({}, { ...ANA, spoil })).toMatchObject({
    status: 400,
    json: { code: 'invalid_interaction' },
  })
  expect((await office.slack.deliver({ type: 'view_closed' }, ANA)).status).toBe(200)
})

test('a body of more than 256 KiB gets 413 before it is read to its end', async () => {
  await using office = await anOffice()
  expect((await office.slack.deliver({ filler: 'x'.repeat(300_000) }, ANA)).status).toBe(413)
})

test('if Slack opens no modal in time, the person is told to press again, and Slack has its answer within three seconds', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const message = await office.send(hold)
  office.slack.wire.fail('views.open', 'hang')
  expect((await office.slack.click(message, 'Reject…', ANA)).status).toBe(200)
  const [told] = await until(() => (office.slack.whispers.length > 0 ? office.slack.whispers : null))
  expect(told?.text).toContain('press again')
})

test('P9: a request that does not fit, or hides something, has no Approve', async () => {
  await using office = await anOffice()
  const large: Record<string, Json> = { text: `${'x'.repeat(50_000)}\u202egnp.exe\u200b` }
  const message = await office.send(await office.store.hold('refund', large))
  expect(labelsOf(message)).toEqual(['Reject…', 'Open'])
  expect(textOf(message.blocks)).toContain('does not fit into a message')
  const hidden = await office.send(await office.store.hold('refund', { to: 'ana\u200b@example.org' }))
  expect(textOf(hidden.blocks)).toContain('ana\\u{200b}@example.org')
  expect(labelsOf(hidden)).toContain('Approve')
})
