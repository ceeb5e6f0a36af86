import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hold, Holdpoint, Policy } from '../../../src/index.ts'
import { answerRequests } from '../../../src/protocols/http/answer-requests.ts'
import { refusalRecord } from '../../../src/protocols/http/deliveries/refusal-record.ts'
import { openMail } from '../../../src/protocols/mail/open-mail.ts'
import { advanced, aWorkplace, call, onlyHold, started, type Workplace } from '../workplace.ts'

const SECRET = 'the-secret-of-the-inbound-route'
const PEOPLE: Readonly<Record<string, string>> = { 'ana@example.org': 'ana', 'ben@example.org': 'ben' }

interface Reply {
  readonly text: string
  readonly from?: string
  readonly dkim?: string
  readonly id?: string
  readonly answers?: string
  readonly to?: string
  readonly headers?: readonly (readonly [string, string])[]
}

interface Scene extends AsyncDisposable {
  readonly place: Workplace
  readonly holdpoint: Holdpoint
  readonly hold: Hold
  readonly runId: string
  reply(reply: Reply): Promise<{ readonly status: number; readonly code: string }>
  post(
    body: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly code: string }>
  now(): Promise<Hold | null>
}

async function aScene({
  isWhole = true,
  ...more
}: {
  isWhole?: boolean
  tool?: object
  ask?: boolean
  policy?: Partial<Policy>
} = {}): Promise<Scene> {
  const { tool = {}, ask = false, policy } = more
  const asking = { id: 'q', name: 'ask_human', args: { question: 'Which region?' } }
  const place = await aWorkplace(it => ({
    script: [{ calls: [ask ? asking : call('a', 'deploy')] }, 'Done.'],
    tools: [it.held('deploy', tool), 'ask_human'],
    ...(policy && { policy }),
  }))
  const holdpoint = await place.open()
  const { id: runId } = await started(holdpoint)
  await advanced(holdpoint, runId)
  const hold = await onlyHold(holdpoint)
  const now = () => Date.now()
  const answer = answerRequests(
    openMail({
      ...{
        holdpoint,
        secrets: [SECRET],
        addresses: ['Holds@example.org'],
        personOf: address => PEOPLE[address] ?? null,
        now,
      },
      mailOf: async id => (id === 'ntc_1' ? { hold_id: hold.id, isWhole, at: Date.parse(hold.opened_at) } : null),
      turnAway: refusalRecord({ audit: holdpoint.audit, now }),
    }).routes,
    {
      gate: { hosts: [], anyAddress: false, identify: async () => null },
      stopping: new AbortController().signal,
      onError: error => expect.unreachable(error.stack),
    },
  )
  const post: Scene['post'] = async (body, headers = signed(body)) => {
    const request = new Request('http://localhost/mail/inbound', {
      method: 'POST',
      body,
      headers: { ...headers, host: 'localhost' },
    })
    const response = await answer(request)
    const json = (await response.json()) as { readonly code?: string; readonly outcome?: string }
    return { status: response.status, code: json.code ?? json.outcome ?? '' }
  }
  return {
    ...{ place, holdpoint, hold, runId, post },
    reply: reply => post(bodyOf(reply)),
    now: () => holdpoint.hold(hold.id),
    [Symbol.asyncDispose]: async () => {
      await holdpoint[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

function bodyOf({
  text,
  from = 'Ana <ana@example.org>',
  dkim = 'example.org',
  id = 'm1',
  answers = 'ntc_1',
  to = 'Holdpoint <holds@example.org>',
  headers = [],
}: Reply): string {
  return JSON.stringify({
    headers: [
      ['From', from],
      ['To', to],
      ['Message-ID', `<${id}@example.org>`],
      ['In-Reply-To', `<${answers}@holds.example.org>`],
      ...headers,
    ],
    text,
    dkim: [{ domain: dkim, result: 'pass' }],
  })
}

function signed(body: string, time = Math.floor(Date.now() / 1000)): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', SECRET).update(`msg_1.${time}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${signature}`,
  }
}

test('P2: a reply approves in the name of its sender, and the same mail again is the same decision', async () => {
  await using scene = await aScene()
  const text = 'Approve\n\nOn Mon, 23 Nov 2026 at 03:00, Holdpoint <holds@example.org> wrote:\n> May deploy run?\n'
  expect(await scene.reply({ text })).toEqual({ status: 200, code: 'recorded' })
  expect(await scene.reply({ text })).toEqual({ status: 200, code: 'duplicate' })
  expect((await scene.now())?.decision).toMatchObject({ verdict: 'approve', decided_by: 'ana', surface: 'mail' })
  await advanced(scene.holdpoint, scene.runId)
  expect(scene.place.effects).toEqual(['deploy'])
  expect(await scene.reply({ text: 'deny: too late', from: 'ben@example.org', id: 'm2' })).toEqual({
    status: 409,
    code: 'already_decided',
  })
})

test.each(['approve', 'yes', 'approve it', 'approve staging', 'approve deploy now'])(
  'P1: an override is not approved by %j, but by its thing',
  async text => {
    await using scene = await aScene({ policy: { tools: { deploy: 'never' } } })
    expect(await scene.reply({ text })).toEqual({ status: 409, code: 'word_missing' })
    expect((await scene.now())?.status).toBe('open')
    expect(await scene.reply({ text: 'Approve deploy', id: 'm2' })).toEqual({ status: 200, code: 'recorded' })
    expect((await scene.now())?.decision).toMatchObject({ verdict: 'approve', decided_by: 'ana', surface: 'mail' })
  },
)

test('a reply that says no brings its reason', async () => {
  await using scene = await aScene()
  expect(await scene.reply({ text: 'deny: not on a Friday\n' })).toEqual({ status: 200, code: 'recorded' })
  expect((await scene.now())?.decision).toMatchObject({ verdict: 'reject', reason: 'not on a Friday' })
})

test('a question is answered by the words above the quotation', async () => {
  await using scene = await aScene({ ask: true })
  await scene.reply({ text: 'eu-west\n\n-- \nAna\n' })
  expect((await scene.now())?.decision).toMatchObject({ verdict: 'respond', value: 'eu-west' })
})

test.each(['maybe', 'approve if ben agrees', 'approve\n> quoted\nbut only on staging', ''])(
  'P1: %j decides nothing, and the thread tells',
  async text => {
    await using scene = await aScene()
    const { status, code } = await scene.reply({ text })
    expect([status, code]).toEqual([422, text === '' ? code : 'unclear_answer'])
    expect((await scene.now())?.status).toBe('open')
  },
)

test('P9: a reply approves only what its mail showed in full, and may always refuse', async () => {
  await using scene = await aScene({ isWhole: false })
  expect(await scene.reply({ text: 'approve' })).toEqual({ status: 409, code: 'shown_in_part' })
  expect((await scene.now())?.status).toBe('open')
  expect(await scene.reply({ text: 'deny: I cannot see it' })).toEqual({ status: 200, code: 'recorded' })
})

test.each([
  ['a sender whose domain did not sign', { dkim: 'evil.example' }, 403, 'sender_not_proven'],
  [
    'another name before the address',
    { from: '"ana@example.org" <eve@evil.example>', dkim: 'evil.example' },
    403,
    'sender_unknown',
  ],
  ['two senders', { from: 'eve@evil.example, ana@example.org', dkim: 'evil.example' }, 403, 'sender_not_proven'],
  ['an answer to no mail of ours', { answers: 'other' }, 404, 'unknown_mail'],
])('P1: %s decides nothing, on record', async (_what, reply, status, code) => {
  await using scene = await aScene()
  expect(await scene.reply({ text: 'approve', ...reply })).toEqual({ status, code })
  expect((await scene.now())?.status).toBe('open')
  expect(await refusals(scene)).toEqual([`mail ${code}`])
})

test.each([
  [{ to: 'Eve <eve@evil.example>' }, 'mail_to_others'],
  [{ to: '"holds@example.org" <eve@evil.example>' }, 'mail_to_others'],
  [{ to: 'eve@evil.example (holds@example.org)' }, 'mail_to_others'],
  [{ to: 'xholds@example.org' }, 'mail_to_others'],
  [{ headers: [['Date', 'Mon, 2 Nov 2020 10:00:00 +0100 (CET)']] as const }, 'mail_too_old'],
])('P1: a mail that a person once wrote is no answer because its copy says so: %j', async (copy, code) => {
  await using scene = await aScene()
  expect(await scene.reply({ text: 'yes', ...copy })).toEqual({ status: 403, code })
  expect((await scene.now())?.status).toBe('open')
  expect(await refusals(scene)).toEqual([`mail ${code}`])
})

test('a reply to all, with a date of its own, counts', async () => {
  await using scene = await aScene()
  const headers = [
    ['Cc', 'Ben <ben@example.org>, Holds <HOLDS@example.org>'],
    ['Date', new Date().toUTCString()],
  ] as const
  expect(await scene.reply({ text: 'yes', to: 'ben@example.org', headers })).toEqual({ status: 200, code: 'recorded' })
})

test('P1: who may not decide may not do it by mail', async () => {
  await using scene = await aScene({ tool: { deciders: { people: ['ben'] } } })
  expect(await scene.reply({ text: 'approve' })).toEqual({ status: 403, code: 'not_a_decider' })
  expect(await scene.reply({ text: 'approve', from: 'ben@example.org' })).toEqual({ status: 200, code: 'recorded' })
})

test('a program that answers by itself says nothing', async () => {
  await using scene = await aScene({ ask: true })
  const away = await scene.reply({ text: 'I am away until Monday.', headers: [['Auto-Submitted', 'auto-replied']] })
  expect(away).toEqual({ status: 200, code: 'ignored' })
  expect((await scene.now())?.status).toBe('open')
})

test('P1: forged, old, shortened and missing signatures decide nothing, on record', async () => {
  await using scene = await aScene()
  const body = bodyOf({ text: 'approve' })
  const good = signed(body)
  const cut = { ...good, 'webhook-signature': (good['webhook-signature'] ?? '').slice(0, 30) }
  const tries = [
    await scene.post(body, signed(bodyOf({ text: 'deny: x' }))),
    await scene.post(body, cut),
    await scene.post(body, signed(body, Math.floor(Date.now() / 1000) - 301)),
    await scene.post(body, { 'content-type': 'application/json' }),
  ]
  const codes = ['signature_invalid', 'signature_invalid', 'signature_old', 'signature_missing']
  expect(tries).toEqual(codes.map(code => ({ status: 401, code })))
  expect(await refusals(scene)).toEqual(codes.map(code => `mail ${code}`))
  expect((await scene.now())?.status).toBe('open')
})

test.each([
  ['{', 400],
  ['{}', 400],
  [JSON.stringify({ headers: [], text: 'x'.repeat(300_000) }), 413],
])('a body that is no mail is refused', async (body, status) => {
  await using scene = await aScene()
  expect((await scene.post(body)).status).toBe(status)
})

async function refusals({ holdpoint }: Scene): Promise<string[]> {
  const records = await Array.fromAsync(holdpoint.audit.list({ kind: 'decision.refused' }))
  return records.map(({ record }) => `${record?.surface} ${record?.data['code']}`)
}
