/** A browser exchanges a token for a cookie, and is who the token says until either of them ends. */
import { describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type Sent, type ServerProcess, TOKEN } from './server-process.ts'
import { openStream } from './stream-client.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

/** A browser's tab: it keeps cookies, and says from which page a request comes. */
class Tab {
  readonly #server: ServerProcess
  readonly headers: Record<string, string>

  constructor(server: ServerProcess) {
    this.#server = server
    this.headers = { origin: server.url, 'sec-fetch-site': 'same-origin' }
  }

  get cookie(): string {
    return this.headers['cookie'] ?? ''
  }

  /** An empty header is left out. */
  async send(path: string, sent: Sent = {}) {
    const all = Object.entries({ ...this.headers, ...sent.headers }).filter(([, value]) => value !== '')
    const answer = await this.#server.send(path, { token: '', ...sent, headers: Object.fromEntries(all) })
    const set = answer.headers.get('set-cookie')
    if (set) this.headers['cookie'] = set.split(';')[0] ?? ''
    return answer
  }

  /** Status and code. */
  async tries(path: string, sent: Sent = {}) {
    const { status, json } = await this.send(path, sent)
    return [status, json?.code ?? null]
  }
}

async function signedIn(server: ServerProcess, token = TOKEN): Promise<Tab> {
  const tab = new Tab(server)
  const { status } = await tab.send('/v1/session', { body: { token } })
  expect(status).toBe(200)
  return tab
}

async function added(project: Project, name: string, ...flags: string[]): Promise<string> {
  return (await project.holdpoint('tokens', 'add', name, ...flags)).stdout.trim()
}

test('a browser that signs in with a token decides in the name of the token, until it signs out', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const ben = await added(project, 'ben', '--role', 'operator')
  const tab = new Tab(server)
  expect((await tab.send('/v1/session')).json).toMatchObject({ signed_in: null, ways: [{ kind: 'token' }] })
  expect(await tab.tries('/v1/holds')).toEqual([401, 'token_missing'])

  const signIn = await tab.send('/v1/session', { body: { token: ben } })
  expect(signIn.json).toMatchObject({ signed_in: { name: 'ben', role: 'operator', by: 'session', groups: [] } })
  expect(signIn.headers.get('set-cookie')).toMatch(
    /^hp-\d+=hp_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
  )
  expect(JSON.stringify(signIn.json)).not.toContain(ben)

  const { json: started } = await tab.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  const decided = await tab.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  expect(decided.json).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ben', surface: 'inbox' } })
  await doneRun(server, started.run_id)

  const kept = { ...tab.headers }
  const out = await tab.send('/v1/session', { method: 'DELETE' })
  expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/^hp-\d+=; .*Max-Age=0$/)])
  expect((await server.send('/v1/holds', { token: '', headers: kept })).json.code).toBe('signed_out')
  const audit = await project.holdpoint('audit', '--json')
  expect(audit.stdout).toContain('"session.opened"')
  expect(audit.stdout).toContain('"session.ended"')
  expect(audit.stdout).not.toContain(kept['cookie']?.split('=')[1] ?? '')
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test('the owner signs in with the token of the server, and has the rights of an admin', async () => {
  await using project = await aProject({ script })
  await using server = await aServer(project, '--no-work')
  const tab = await signedIn(server)
  expect((await tab.send('/v1/session')).json.signed_in).toMatchObject({ name: 'ana', role: 'admin', by: 'session' })
  const program = await server.send('/v1/session')
  expect(program.json.signed_in).toMatchObject({ name: 'ana', by: 'token', expires_at: null })
})

test.each([
  ['an unknown token', { token: 'hp_unknown' }, [401, 'invalid_token']],
  ['an unknown link', { link: 'hp_unknown' }, [401, 'invalid_sign_in_link']],
  ['nothing', {}, [422, 'invalid_body']],
  ['both', { token: 'a', link: 'b' }, [422, 'invalid_body']],
])('%s signs nobody in', async (_what, body, expected) => {
  await using project = await aProject({ script })
  await using server = await aServer(project, '--no-work')
  const tab = new Tab(server)
  expect(await tab.tries('/v1/session', { body })).toEqual(expected)
  expect(tab.cookie).toBe('')
})

test('P1: what a page of another site sends with the cookie is refused, and changes nothing', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const tab = await signedIn(server)
  const { json: started } = await tab.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  const decisions = `/v1/holds/${hold.id}/decisions`
  const approve = { body: { verdict: 'approve' } }
  const port = new URL(server.url).port
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    // Another program of this machine: its pages are of the same site, and are sent the cookie.
    { origin: `http://127.0.0.1:${Number(port) + 1}`, 'sec-fetch-site': 'same-site' },
    { origin: `http://127.0.0.1:${Number(port) + 1}`, 'sec-fetch-site': '' },
    { origin: `http://localhost:${port}`, 'sec-fetch-site': '' },
  ]
  for (const headers of foreign)
    expect(await tab.tries(decisions, { ...approve, headers })).toEqual([403, 'origin_not_allowed'])
  const { origin: _, ...withoutOrigin } = tab.headers
  const bare = await server.send(decisions, { ...approve, token: '', headers: withoutOrigin })
  expect([bare.status, bare.json.code]).toEqual([403, 'origin_missing'])
  const form = { body: 'verdict=approve', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  expect(await tab.tries(decisions, form)).toEqual([415, 'unsupported_media_type'])
  const looks = await tab.tries(`/v1/holds/${hold.id}`, { headers: { 'sec-fetch-site': 'same-site' } })
  expect(looks).toEqual([403, 'origin_not_allowed'])
  const other = await tab.tries('/v1/session', { body: { token: TOKEN }, headers: { origin: 'http://localhost:1' } })
  expect(other).toEqual([403, 'origin_not_allowed'])
  expect((await tab.send(`/v1/holds/${hold.id}`)).json.status).toBe('open')
  expect(project.exists('effects.log')).toBe(false)
})

test('an event source reads its streams by the cookie, and they end within a second of the session or its token', async () => {
  await using project = await aProject({ script })
  await using server = await aServer(project, '--no-work')
  const ben = await added(project, 'ben', '--role', 'viewer')
  const [bens, anas] = [await signedIn(server, ben), await signedIn(server)]
  await using first = await openStream(server, '/v1/changes', { token: '', headers: bens.headers })
  await using second = await openStream(server, '/v1/changes', { token: '', headers: anas.headers })
  await first.first(({ event }) => event === 'position')
  await project.holdpoint('tokens', 'revoke', 'ben')
  expect((await first.first(({ event }) => event === 'bye')).data).toEqual({ reason: 'token_ended' })
  expect(await bens.tries('/v1/holds')).toEqual([401, 'signed_out'])
  await new Tab(server).send('/v1/session', { method: 'DELETE', token: '', headers: { cookie: anas.cookie } })
  expect((await second.first(({ event }) => event === 'bye')).data).toEqual({ reason: 'token_ended' })
})

test('who signs out everywhere is signed out in each browser, and nobody else is', async () => {
  await using project = await aProject({ script })
  await using server = await aServer(project, '--no-work')
  const ben = await added(project, 'ben', '--role', 'viewer')
  const [phone, desk, anas] = [await signedIn(server, ben), await signedIn(server, ben), await signedIn(server)]
  expect((await desk.send('/v1/session?everywhere=true', { method: 'DELETE' })).status).toBe(204)
  expect(await phone.tries('/v1/holds')).toEqual([401, 'signed_out'])
  expect((await anas.send('/v1/holds')).status).toBe(200)
  expect((await server.send('/v1/holds', { token: ben })).status).toBe(200)
})

test('behind a proxy with TLS the cookie is for this host and HTTPS alone', async () => {
  await using project = await aProject({ script })
  const ben = await added(project, 'ben', '--role', 'viewer')
  await using server = await aServer(project, '--behind-proxy', '--name', 'holds.example', '--no-work')
  const headers = { origin: server.url.replace('http:', 'https:') }
  const { status, headers: answered } = await server.send('/v1/session', { token: '', body: { token: ben }, headers })
  expect(status).toBe(200)
  expect(answered.get('set-cookie')).toMatch(/^__Host-hp=.*; Path=\/; HttpOnly; SameSite=Strict; Secure; /)
  // Anybody in between could have written a page that came unencrypted.
  const plain = await server.send('/v1/session', { token: '', body: { token: ben }, headers: { origin: server.url } })
  expect(plain.json.code).toBe('origin_not_allowed')
  // The token of the owner does not count there, and so it signs no browser in.
  const own = await server.send('/v1/session', { token: '', body: { token: TOKEN }, headers })
  expect(own.json.code).toBe('invalid_token')
})

describe('an address that signs in too often waits', () => {
  const wrong = { token: '', headers: { 'sec-fetch-site': 'same-origin' }, body: { token: 'wrong' } }
  const statuses = async (server: ServerProcess, count: number, headers: Readonly<Record<string, string>> = {}) => {
    const sent = { ...wrong, headers: { ...wrong.headers, origin: server.url, ...headers } }
    const answers = await Promise.all(Array.from({ length: count }, () => server.send('/v1/session', sent)))
    return answers.map(({ status }) => status)
  }
  /** Sends more and more at once, until some of it is too much. */
  const refused = async (server: ServerProcess, headers: Readonly<Record<string, string>> = {}) => {
    const found = new Set<number>()
    for (let count = 100; !found.has(429) && count < 2_000; count *= 2)
      for (const status of await statuses(server, count, headers)) found.add(status)
    return found
  }

  test('and nobody who is signed in does', async () => {
    await using project = await aProject({ script })
    await using server = await aServer(project, '--no-work')
    const tab = await signedIn(server)
    expect(await refused(server)).toEqual(new Set([401, 429]))
    expect([(await tab.send('/v1/session')).status, (await tab.send('/v1/holds')).status]).toEqual([200, 200])
  })

  test('behind a proxy it is the address that the proxy adds', async () => {
    await using project = await aProject({ script })
    await added(project, 'ben', '--role', 'viewer')
    await using server = await aServer(project, '--no-work', '--behind-proxy', '--name', 'holds.example')
    expect(await refused(server, { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' })).toContain(429)
    expect(await statuses(server, 5, { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' })).not.toContain(429)
  })

  test('on this machine no header makes up another address', async () => {
    await using project = await aProject({ script })
    await using server = await aServer(project, '--no-work')
    const bySender = Array.from({ length: 200 }, (_, n) =>
      statuses(server, 1, { 'x-forwarded-for': `198.51.100.${n}` }),
    )
    expect((await Promise.all(bySender)).flat()).toContain(429)
  })
})
