import { expect, test } from 'vitest'
import { systemIds } from '../../../src/hosts/process/system-ids.ts'
import type { Hold, Holdpoint } from '../../../src/index.ts'
import { answerRequests } from '../../../src/protocols/http/answer-requests.ts'
import { openLinks } from '../../../src/protocols/links/open-links.ts'
import { RuntimeLinks } from '../../../src/runtime/access/runtime-links.ts'
import type { Links } from '../../../src/runtime/face/links.ts'
import { openStore } from '../../../src/stores/open-store.ts'
import { type HandClock, handClock } from '../../../src/testing/kit/hand-clock.ts'
import { advanced, aWorkplace, call, started, type Workplace } from '../workplace.ts'

const HOST = 'holds.example.org'

interface Scene extends AsyncDisposable {
  readonly place: Workplace
  readonly holdpoint: Holdpoint
  readonly clock: HandClock
  readonly links: Links
  readonly hold: Hold
  readonly runId: string
  linkFor(person: string): Promise<string>
  get(link: string, init?: RequestInit & { readonly host?: string }): Promise<Page>
  post(
    link: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Page>
  /** Kinds and codes of the records since the hold opened. */
  records(): Promise<string[]>
}

interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

interface Asked {
  readonly tool?: object
  readonly args?: Record<string, never>
}

async function aScene({ tool = {}, args = {} }: Asked = {}): Promise<Scene> {
  const clock = handClock()
  const place = await aWorkplace(it => ({
    script: [{ text: 'I will deploy now.', calls: [call('a', 'deploy', args)] }, 'Done.'],
    tools: [it.held('deploy', tool)],
    open: { clock },
  }))
  const store = await openStore(`sqlite:${place.file}`, { clock, directory: place.directory })
  const holdpoint = await place.open({ open: { clock, store } })
  const { id: runId } = await started(holdpoint)
  await advanced(holdpoint, runId)
  const [hold] = await holdpoint.holds({ status: 'open' })
  if (!hold) throw new TypeError('nothing is held')
  const links = new RuntimeLinks({ runtime: { store, ids: systemIds, clock }, holds: holdpoint })
  const answer = answerRequests(openLinks({ links, audit: holdpoint.audit }).routes, {
    gate: {
      ...{ hosts: [HOST], anyAddress: false },
      identify: async ({ text }) => (text === 'of-ben' ? { name: 'ben', role: 'decider' } : null),
    },
    stopping: new AbortController().signal,
    onError: error => expect.unreachable(error.stack),
  })
  const send = async (link: string, { host = HOST, ...init }: RequestInit & { readonly host?: string } = {}) => {
    const request = new Request(`https://${host}${link}`, init)
    request.headers.set('host', host)
    const response = await answer(request)
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return {
    ...{ place, holdpoint, clock, links, hold, runId },
    linkFor: async person => {
      const now = (await holdpoint.hold(hold.id)) as Hold
      return `/l/${await links.make({ hold: now, person, channel: 'mail' })}`
    },
    get: send,
    post: (link, fields, headers = {}) =>
      send(link, { method: 'POST', body: new URLSearchParams({ digest: hold.digest ?? '', ...fields }), headers }),
    records: async () => {
      const records = await Array.fromAsync(holdpoint.audit.list({ hold_id: hold.id }))
      return records.map(({ record }) => [record?.kind, record?.actor, record?.data['code']].filter(Boolean).join(' '))
    },
    [Symbol.asyncDispose]: async () => {
      await holdpoint[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

test('P2: a link shows the hold, its form decides in the name of its person, and the run goes on', async () => {
  await using scene = await aScene({ tool: { deciders: { people: ['ana'] } }, args: { to: 'production' } as never })
  const link = await scene.linkFor('ana')
  const page = await scene.get(link)
  expect(page.status).toBe(200)
  for (const text of ['worker asks you, ana', 'I will deploy now.', 'to: production', `action="${link}"`])
    expect(page.text).toContain(text)

  const done = await scene.post(link, { verdict: 'approve' })
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('approved by ana')])
  expect(await scene.holdpoint.hold(scene.hold.id)).toMatchObject({
    decision: { verdict: 'approve', decided_by: 'ana', surface: 'link' },
  })
  await advanced(scene.holdpoint, scene.runId)
  expect(scene.place.effects).toEqual(['deploy'])
})

test('a rejection brings its reason', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  expect((await scene.post(link, { verdict: 'reject', reason: ' not today\r\n' })).status).toBe(200)
  expect((await scene.holdpoint.hold(scene.hold.id))?.decision).toMatchObject({
    verdict: 'reject',
    reason: 'not today',
  })
})

test('L1: scanners that fetch a link decide nothing and use nothing up', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  for (const init of [
    {},
    { method: 'HEAD' },
    { headers: { 'sec-purpose': 'prefetch;prerender' } },
    { headers: { purpose: 'preview' } },
    {},
  ])
    expect((await scene.get(link, init)).status).toBe(200)
  // Only what may have been a person is on record as a look.
  expect(await scene.records()).toEqual(['hold.opened', 'hold.shown ana', 'hold.shown ana'])
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(200)
})

test('P2: a link counts once, whoever it was passed on to', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(200)
  const again = await scene.post(link, { verdict: 'reject' })
  expect([again.status, again.text]).toEqual([410, expect.stringContaining('This link was used: ana chose approve')])
  expect((await scene.get(link)).status).toBe(410)
  expect((await scene.records()).at(-1)).toBe('decision.refused ana link_used')
})

test('P2: of two uses at the same moment one is recorded', async () => {
  await using scene = await aScene({ tool: { deciders: { quorum: 2 } } })
  const link = await scene.linkFor('ana')
  const both = await Promise.all(['approve', 'approve'].map(verdict => scene.post(link, { verdict })))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 410])
  expect((await scene.holdpoint.hold(scene.hold.id))?.votes).toHaveLength(1)
})

test('P10: a link that is asked for without end fills no log, dead or not', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  for (let n = 0; n < 30; n += 1) expect((await scene.get(link)).status).toBe(200)
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(200)
  for (let n = 0; n < 30; n += 1) expect((await scene.post(link, { verdict: 'reject' })).status).toBe(410)
  const records = await scene.records()
  const count = (kind: string) => records.filter(each => each.startsWith(kind)).length
  expect([count('hold.shown'), count('hold.decided')]).toEqual([21, 1])
  expect(count('decision.refused')).toBe(19)
})

test('of several who must approve, each has a link, and the page counts them', async () => {
  await using scene = await aScene({ tool: { deciders: { people: ['ana', 'ben'], quorum: 2 } } })
  const [first, second] = [await scene.linkFor('ana'), await scene.linkFor('ben')]
  expect((await scene.post(first, { verdict: 'approve' })).text).toContain('1 of 2 approvals')
  expect((await scene.get(second)).text).toContain('1 of 2')
  expect((await scene.post(second, { verdict: 'approve' })).status).toBe(200)
  expect((await scene.holdpoint.hold(scene.hold.id))?.status).toBe('decided')
})

test('who comes second is told who was first', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  await scene.holdpoint.decide(scene.hold.id, { verdict: 'reject', decided_by: 'ben', surface: 'test' })
  const page = await scene.get(link)
  expect([page.status, page.text]).toEqual([409, expect.stringContaining('ben already chose reject')])
  expect(page.text).not.toContain('<form')
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(409)
  expect((await scene.records()).at(-1)).toBe('decision.refused ana already_decided')
})

test('P1: a link is dead once another person is asked', async () => {
  const due = { seconds: 60, escalation: [{ assignee: 'mia', seconds: 60 }] }
  await using scene = await aScene({ tool: { due } })
  const [assigned, escalated] = [await scene.linkFor('ana'), await scene.linkFor('ana')]
  await scene.holdpoint.assign(scene.hold.id, { assignee: 'ben', by: 'ben', surface: 'test' })
  const page = await scene.post(assigned, { verdict: 'approve' })
  expect([page.status, page.text]).toEqual([410, expect.stringContaining('was assigned to ben')])
  scene.clock.advance(60_000)
  await scene.holdpoint.expireHolds()
  expect((await scene.get(escalated)).text).toContain('was escalated to mia')
  expect((await scene.post(await scene.linkFor('mia'), { verdict: 'approve' })).status).toBe(200)
})

test('P1: a link is dead when its time is over', async () => {
  await using dueScene = await aScene({ tool: { due: { seconds: 60 } } })
  const due = await dueScene.linkFor('ana')
  dueScene.clock.advance(60_000)
  expect(await dueScene.post(due, { verdict: 'approve' })).toMatchObject({
    status: 410,
    text: expect.stringContaining('was due at'),
  })

  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  scene.clock.advance(31 * 86_400_000)
  const page = await scene.post(link, { verdict: 'approve' })
  expect([page.status, page.text]).toEqual([410, expect.stringContaining('This link was good until')])
  expect((await scene.records()).at(-1)).toBe('decision.refused ana link_expired')
})

test('P1: a link that was passed on to a person who is signed in shows that person nothing', async () => {
  await using scene = await aScene()
  const passedOn = await scene.get(await scene.linkFor('ana'), { headers: { authorization: 'Bearer of-ben' } })
  expect([passedOn.status, passedOn.text]).toEqual([403, expect.stringContaining('you are signed in as ben')])
  expect(passedOn.text).not.toContain('<form')
  const tried = await scene.post(await scene.linkFor('ana'), { verdict: 'approve' }, { authorization: 'Bearer of-ben' })
  expect([tried.status, tried.text]).toEqual([403, expect.stringContaining('This link was sent to ana')])
  expect(await scene.holdpoint.hold(scene.hold.id)).toMatchObject({ status: 'open' })
  expect(await scene.records()).toContain('decision.refused ben link_of_another')
  const own = await scene.get(await scene.linkFor('ben'), { headers: { authorization: 'Bearer of-ben' } })
  expect(own.status).toBe(200)
})

test('P9: the page shows what the call would do, and draws its images', async () => {
  const image = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const diff = { type: 'diff', title: 'a.txt', diff: '@@ -1 +1 @@\n-<old>\n+new\n', added: 1, removed: 1 }
  await using scene = await aScene({ tool: { preview: () => ({ parts: [diff, image] }) } })
  const { text } = await scene.get(await scene.linkFor('ana'))
  expect(text).toContain('<del>-&lt;old&gt;</del>')
  expect(text).toContain('src="data:image/png;base64,iVBORw0KGgo="')
})

test('P1: the person of a link has the rights of that person and no more', async () => {
  await using scene = await aScene({ tool: { deciders: { people: ['ben'] } } })
  const link = await scene.linkFor('ana')
  const page = await scene.get(link)
  expect(page.text).toContain('ana may not decide')
  expect(page.text).not.toContain('value="approve"')
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(403)
  expect((await scene.post(link, { verdict: 'edit' })).status).toBe(422)
  expect((await scene.holdpoint.hold(scene.hold.id))?.status).toBe('open')
})

test('another name of the server, a form of another page, and an unknown link are refused in words of their own', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  const elsewhere = await scene.get(link, { host: 'evil.example' })
  expect([elsewhere.status, elsewhere.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  expect(elsewhere.text).toContain('host_not_allowed')
  const foreign = await scene.post(link, { verdict: 'approve' }, { origin: 'https://evil.example' })
  expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('origin_not_allowed')])
  expect(await scene.get(`${link}x`)).toMatchObject({
    status: 404,
    text: expect.stringContaining('There is no such link'),
  })
  expect((await scene.post('/l/hp_none', { verdict: 'approve' })).status).toBe(404)
  expect((await scene.holdpoint.hold(scene.hold.id))?.status).toBe('open')
})

test('P9: a form that shows another call approves nothing', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  expect((await scene.post(link, { verdict: 'approve', digest: 'sha256:other' })).status).toBe(412)
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(200)
})

test('an ordinary act is approved by one button, also if it cannot be taken back', async () => {
  await using scene = await aScene({ tool: { destructive: true } })
  const link = await scene.linkFor('ana')
  expect((await scene.get(link)).text).not.toContain('name="sure"')
  expect((await scene.post(link, { verdict: 'approve' })).status).toBe(200)
})

test('an act of high risk is approved by a tick and a button, and the tick names the act again', async () => {
  await using scene = await aScene({ tool: { risk: 'high', title: () => 'Drop the database orders' } })
  const link = await scene.linkFor('ana')
  expect((await scene.get(link)).text).toContain(
    '<input type="checkbox" name="sure" value="yes" required> Drop the database orders. HIGH RISK: its tool or a rule of the policy says so. Approve? Yes.',
  )
  expect(await scene.post(link, { verdict: 'approve' })).toMatchObject({
    status: 422,
    text: expect.stringContaining('needs the tick'),
  })
  expect((await scene.post(link, { verdict: 'respond', value: 'yes' })).status).toBe(422)
  expect((await scene.post(link, { verdict: 'approve', sure: 'yes' })).status).toBe(200)
})

test('P9: 50 KB of arguments are shown in full, and nothing in them hides or runs', async () => {
  const args = { long: 'x'.repeat(50_000), html: '<script>alert(1)</script>', hidden: 'a\u202Eb\u200Bc' }
  await using scene = await aScene({ args: args as never })
  const { text, headers } = await scene.get(await scene.linkFor('ana'))
  expect(text).toContain('x'.repeat(50_000))
  expect(text).not.toMatch(/<script/)
  expect(text).toContain('a\\u{202e}b\\u{200b}c')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'same-origin'])
})

test.each([
  ['JSON', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }, 415],
  ['too much', { method: 'POST', body: new URLSearchParams({ reason: 'x'.repeat(300_000) }) }, 413],
  ['no verdict', { method: 'POST', body: new URLSearchParams({}) }, 422],
  ['another method', { method: 'DELETE' }, 401],
] as const)('a request with %s changes nothing', async (_what, init, status) => {
  await using scene = await aScene()
  const page = await scene.get(await scene.linkFor('ana'), init)
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect((await scene.holdpoint.hold(scene.hold.id))?.status).toBe('open')
})

test('the store has no secret of a link', async () => {
  await using scene = await aScene()
  const link = await scene.linkFor('ana')
  const rows = scene.place.inFile(database => database.prepare('SELECT * FROM links').all())
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(link.slice('/l/'.length))
})
