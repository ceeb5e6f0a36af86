/** People of an organisation sign in where they always do, and their groups say what they may. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, command, effect, type ProjectOptions } from '../project.ts'
import { aServer, doneRun, openHold } from './server-process.ts'
import { Browser } from './small-browser.ts'
import { aSmallIssuer, type SmallIssuer } from './small-issuer.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const roles = { viewer: ['*'], operator: ['ops'] }
const ANA = { sub: 'u1', email: 'ana@example.org', email_verified: true, groups: ['ops'] }

async function aProjectAt(issuer: SmallIssuer, options: ProjectOptions = {}, more: object = {}) {
  const sign_in = {
    oidc: { issuer: issuer.url, client_id: 'holdpoint', title: 'Example', roles, ...more },
    trusted_proxy: {
      ...{ header: 'X-Proxy-Assertion', issuer: issuer.url, audience: 'holds', jwks_url: `${issuer.url}/jwks` },
      roles,
    },
  }
  const project = await aProject({ script, policy: { default: 'prompt' }, config: { sign_in }, ...options })
  await project.holdpoint('trust', '--yes')
  return project
}

test('a person signs in at the provider, comes back to the same place, and decides in their own name', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project)
  const browser = new Browser(server)
  expect(await browser.whoAmI()).toMatchObject({
    signed_in: null,
    ways: [{ kind: 'provider', title: 'Example', url: '/sign-in/provider' }, { kind: 'token' }],
  })
  issuer.person = ANA
  const back = await browser.go(await browser.toProvider())
  expect([back.status, back.headers.get('location')]).toEqual([303, '/holds/hold_1?x=1'])
  expect(back.headers.getSetCookie().join()).toContain('SameSite=Strict')
  expect(await browser.whoAmI()).toMatchObject({
    signed_in: { name: 'ana@example.org', role: 'operator', groups: ['ops'], by: 'session' },
  })
  const json = { 'content-type': 'application/json' }
  const started = await browser.go('/v1/threads', { method: 'POST', headers: json, body: '{"input":"deploy"}' })
  const hold = await openHold(server, ((await started.json()) as { run_id: string }).run_id)
  const body = '{"verdict":"approve"}'
  const decided = await browser.go(`/v1/holds/${hold.id}/decisions`, { method: 'POST', headers: json, body })
  expect(await decided.json()).toMatchObject({ decision: { decided_by: 'ana@example.org', surface: 'inbox' } })
  expect((await project.holdpoint('audit', '--json')).stdout).toContain('"by":"provider"')
})

test('a session of a provider ends when its person signs out everywhere, or is revoked by name', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--no-work')
  issuer.person = ANA
  const aBrowser = async () => {
    const browser = new Browser(server)
    await browser.go(await browser.toProvider())
    return browser
  }
  const [phone, desk] = [await aBrowser(), await aBrowser()]
  await desk.go('/v1/session?everywhere=true', { method: 'DELETE' })
  expect((await phone.whoAmI()).signed_in).toBeNull()

  const again = await aBrowser()
  const { stdout, exit } = await project.holdpoint('tokens', 'revoke', ANA.email)
  expect([exit, stdout]).toEqual([0, 'ana@example.org had no token, and is signed out of every browser.\n'])
  expect((await again.whoAmI()).signed_in).toBeNull()
  expect((await project.holdpoint('tokens', 'revoke', ANA.email)).exit).toBe(2)

  const last = await aBrowser()
  await project.holdpoint('tokens', 'add', ANA.email, '--role', 'viewer')
  expect((await project.holdpoint('tokens', 'revoke', ANA.email)).exit).toBe(0)
  expect((await last.whoAmI()).signed_in).toBeNull()
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test('the secret of the client reaches no command of an agent', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  const look = command('tc_1', 'echo "$(printenv OIDC_SECRET || echo none) $OTHER" >> effects.log')
  const options = { script: [{ calls: [look] }, 'Done.'], policy: { default: 'auto' } }
  const env = { OIDC_SECRET: 'of the client', OTHER: 'passed on' }
  await using project = await aProjectAt(issuer, { ...options, env }, { client_secret_env: 'OIDC_SECRET' })
  await using server = await aServer(project)
  const { json } = await server.send('/v1/threads', { body: { input: 'look' } })
  await doneRun(server, json.run_id)
  expect(await project.effects()).toEqual(['none passed on'])
})

test('groups that the provider tells only when it is asked count too', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--no-work')
  const browser = new Browser(server)
  issuer.person = { sub: 'u1' }
  issuer.userInfo = { email: ANA.email, email_verified: true, groups: ['ops'] }
  await browser.go(await browser.toProvider('https://evil.example/'))
  expect(await browser.whoAmI()).toMatchObject({ signed_in: { name: 'ana@example.org', role: 'operator' } })
})

test('P1: what comes back from the provider in another way signs nobody in', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--no-work')
  const outcome = async (browser: Browser, address: string) => {
    const { status, headers } = await browser.go(address)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    return [status, (await browser.whoAmI()).signed_in]
  }
  issuer.person = ANA
  const [mine, others] = [new Browser(server), new Browser(server)]
  const [own, foreign] = [await mine.toProvider(), await others.toProvider()]
  // A page of another site leads this browser to the answer that was made for another one.
  expect(await outcome(mine, foreign)).toEqual([400, null])
  expect(await outcome(new Browser(server), own)).toEqual([400, null])
  // That took nothing away: the journey that this browser began ends well, once.
  expect((await mine.go(own)).status).toBe(303)
  expect((await mine.go(own)).status).toBe(400)

  for (const person of [
    { ...ANA, email_verified: false },
    { ...ANA, email: 'agent:default' },
    { ...ANA, aud: 'another-client' },
    { ...ANA, nonce: 'another' },
    { ...ANA, iss: 'https://evil.example' },
  ]) {
    issuer.person = person
    const browser = new Browser(server)
    expect(await outcome(browser, await browser.toProvider())).toEqual([403, null])
  }
})

test('P1: after a sign-in a browser goes to a place of this server alone', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--no-work')
  issuer.person = ANA
  for (const next of ['/.//evil.example/x', '//evil.example', '/a/..//evil.example', 'https://evil.example']) {
    const browser = new Browser(server)
    const { headers } = await browser.go(await browser.toProvider(next))
    expect(new URL(headers.get('location') ?? '', server.url).origin).toBe(server.url)
  }
})

test('P1: who loses a role, or whose provider is none of the project any more, loses it with a session that is open', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  issuer.person = ANA
  const cookies: [string, string][] = []
  const as = async (change: (oidc: Record<string, unknown>) => void) => {
    const file = join(project.directory, '.holdpoint/config.json')
    const config = JSON.parse(await readFile(file, 'utf8'))
    change(config.sign_in.oidc)
    await writeFile(file, JSON.stringify(config))
    await project.holdpoint('trust', '--yes')
    await using server = await aServer(project, '--no-work')
    const browser = new Browser(server)
    // Their names have the port.
    for (const [name, value] of cookies) browser.cookies.set(name.replace(/\d+$/, new URL(server.url).port), value)
    if (cookies.length === 0) await browser.go(await browser.toProvider())
    cookies.splice(0, cookies.length, ...browser.cookies)
    return (await browser.whoAmI()).signed_in
  }
  expect(await as(() => {})).toMatchObject({ role: 'operator' })
  expect(await as(oidc => Object.assign(oidc, { roles: { viewer: ['ops'] } }))).toMatchObject({ role: 'viewer' })
  expect(await as(oidc => Object.assign(oidc, { roles: { viewer: ['others'] } }))).toBeNull()
  const roles = { admin: ['*'] }
  expect(await as(oidc => Object.assign(oidc, { roles, issuer: 'https://another.example' }))).toBeNull()
})

test('two tabs that sign in at the same time both come back, each to its place', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--no-work')
  issuer.person = ANA
  const browser = new Browser(server)
  const long = `/search?words=${'x'.repeat(5_000)}`
  const tabs = [await browser.toProvider('/one'), await browser.toProvider(long), await browser.toProvider('/two')]
  const places: (string | null)[] = []
  for (const tab of tabs) places.push((await browser.go(tab)).headers.get('location'))
  expect(places).toEqual(['/one', '/', '/two'])
  expect(JSON.stringify([...browser.cookies])).not.toContain('oidc')
})

test('a provider that does not answer is said so, and tokens still sign in', async () => {
  const issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await issuer[Symbol.asyncDispose]()
  await using server = await aServer(project, '--no-work')
  const away = await new Browser(server).go('/sign-in/provider')
  expect([away.status, await away.text()]).toEqual([502, expect.stringContaining('The provider does not answer')])
  expect((await server.send('/v1/holds')).status).toBe(200)
})

test('a proxy says who asks in a signed header, and no other word of it counts', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project, '--behind-proxy', '--name', 'holds.example', '--no-work')
  const claims = { aud: 'holds', email: 'ana@example.org', groups: 'ops,staff' }
  const who = async (assertion: string, headers: Record<string, string> = {}) => {
    const sent = { token: '', headers: { 'x-proxy-assertion': assertion, ...headers } }
    const { status, json } = await server.send('/v1/me', sent)
    return [status, json.name ?? json.code]
  }
  const good = await issuer.sign(claims)
  expect(await who(good)).toEqual([200, 'ana@example.org'])
  const session = await server.send('/v1/session', { token: '', headers: { 'x-proxy-assertion': good } })
  expect(session.json.signed_in).toMatchObject({ role: 'operator', by: 'proxy', groups: ['ops', 'staff'] })

  const [head = '', body = '', signature = ''] = good.split('.')
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
  const forged = [
    await issuer.sign(claims, { byOther: true }),
    await issuer.sign({ ...claims, aud: 'another-service' }),
    await issuer.sign({ ...claims, iss: 'https://evil.example' }),
    await issuer.sign({ ...claims, email_verified: false }),
    unsigned,
    `${head}.${Buffer.from(JSON.stringify({ ...claims, iss: issuer.url })).toString('base64url')}.${signature}`,
    'ana@example.org',
  ]
  for (const assertion of forged) expect(await who(assertion)).toEqual([401, 'signed_out'])
  // The proxy adds the header also to what a page of another site sends.
  expect(await who(good, { 'sec-fetch-site': 'cross-site' })).toEqual([403, 'origin_not_allowed'])
  const posted = { token: '', headers: { 'x-proxy-assertion': good }, body: { input: 'deploy' } }
  expect((await server.send('/v1/threads', posted)).json.code).toBe('origin_missing')
})
