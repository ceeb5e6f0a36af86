/** Groups of a provider or a proxy make their people members of a `@group` of the project. */
import { describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, openHold, type ServerProcess } from './server-process.ts'
import { Browser } from './small-browser.ts'
import { aSmallIssuer, type SmallIssuer } from './small-issuer.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const ANA = { sub: 'u1', email: 'ana@example.org', email_verified: true, groups: ['fin-approvers'] }
const EVE = { sub: 'u2', email: 'eve@example.org', email_verified: true, groups: ['finance'] }
const CLAIMS = { roles: { decider: ['*'] }, groups: { finance: ['fin-approvers'] } }

const deciders = ['ben', '@finance']

async function aProjectAt(issuer: SmallIssuer, config: object = {}): Promise<Project> {
  const sign_in = {
    oidc: { issuer: issuer.url, client_id: 'holdpoint', ...CLAIMS },
    trusted_proxy: {
      ...{ header: 'X-Proxy-Assertion', issuer: issuer.url, audience: 'holds', jwks_url: `${issuer.url}/jwks` },
      ...CLAIMS,
    },
  }
  const project = await aProject({ script, policy: { default: 'prompt' }, config: { sign_in, deciders, ...config } })
  await project.holdpoint('trust', '--yes')
  return project
}

async function signedIn(server: ServerProcess, issuer: SmallIssuer, person: SmallIssuer['person']): Promise<Browser> {
  const browser = new Browser(server)
  issuer.person = person
  await browser.go(await browser.toProvider())
  return browser
}

async function heldRun(server: ServerProcess): Promise<string> {
  const { json } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  return (await openHold(server, json.run_id)).id
}

async function approved(browser: Browser, hold: string, body: object = { verdict: 'approve' }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return (await browser.go(`/v1/holds/${hold}/decisions`, init)).json()
}

const portOf = ({ url }: ServerProcess) => new URL(url).port
const jsonOf = async (response: Promise<Response>) => (await response).json()

test('a person of the mapped group decides, and the record says which group was proven, and by whom', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer)
  await using server = await aServer(project)
  const hold = await heldRun(server)
  const ana = await signedIn(server, issuer, ANA)
  expect(await jsonOf(ana.go(`/v1/holds/${hold}`))).toMatchObject({
    ...{ who_may_decide: 'ben, @finance', may_decide: true },
    deciders: { people: ['ben'], groups: ['finance'] },
  })
  expect(await jsonOf(ana.go('/v1/holds?mine=true'))).toMatchObject({ holds: [{ id: hold }] })
  expect(await jsonOf(ana.go('/v1/inbox?mine=true'))).toMatchObject({ holds: [{ id: hold, may_decide: true }] })

  const member_of = { groups: ['finance'], proven_by: 'provider', issuer: issuer.url }
  expect(await approved(ana, hold)).toMatchObject({
    ...{ outcome: 'recorded', decision: { decided_by: 'ana@example.org', member_of } },
  })
  const { json } = await server.send('/v1/audit?kind=hold.decided')
  expect(json.records[0].record).toMatchObject({ actor: 'ana@example.org', data: { member_of } })
  expect((await project.holdpoint('audit')).stdout).toContain('member_of={"groups":["finance"],"proven_by":"provider"')
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

describe('P1: a group that is not proven decides nothing', () => {
  test('of a person in a group of that name elsewhere, of a token, of a body, and of a name in a shell', async () => {
    await using issuer = await aSmallIssuer('holdpoint')
    await using project = await aProjectAt(issuer)
    await using server = await aServer(project)
    const hold = await heldRun(server)
    const eve = await signedIn(server, issuer, EVE)
    expect(await approved(eve, hold)).toMatchObject({ code: 'not_a_decider' })
    expect(await jsonOf(eve.go('/v1/holds?mine=true'))).toMatchObject({ holds: [] })
    const member_of = { groups: ['finance'], proven_by: 'provider', issuer: issuer.url }
    expect(await approved(eve, hold, { verdict: 'approve', member_of })).toMatchObject({ code: 'invalid_body' })
    const token = (await project.holdpoint('tokens', 'add', 'ana@example.org', '--role', 'admin')).stdout.trim()
    const byToken = { token, body: { verdict: 'approve' } }
    expect((await server.send(`/v1/holds/${hold}/decisions`, byToken)).json.code).toBe('not_a_decider')
    for (const actor of ['ana@example.org', '@finance', 'finance']) {
      const shell = await project.run(['approve', hold], { env: { HOLDPOINT_ACTOR: actor } })
      expect([shell.exit, shell.stderr]).toEqual([2, expect.stringContaining('ben, @finance')])
    }
    expect((await server.send(`/v1/holds/${hold}`)).json.status).toBe('open')
  })

  test('once the settings map it no more', async () => {
    await using issuer = await aSmallIssuer('holdpoint')
    await using project = await aProjectAt(issuer)
    const before = await aServer(project)
    const hold = await heldRun(before)
    const ana = await signedIn(before, issuer, ANA)
    await before[Symbol.asyncDispose]()
    const config = JSON.parse(await project.read('.holdpoint/config.json'))
    config.sign_in.oidc.groups = { finance: ['others'] }
    await project.write('.holdpoint/config.json', JSON.stringify(config))
    await project.holdpoint('trust', '--yes')
    await using after = await aServer(project)
    const again = new Browser(after)
    for (const [name, value] of ana.cookies) again.cookies.set(name.replace(portOf(before), portOf(after)), value)
    expect(await again.whoAmI()).toMatchObject({ signed_in: { name: 'ana@example.org' } })
    expect(await approved(again, hold)).toMatchObject({ code: 'not_a_decider' })
  })
})

test('a group that only a provider knows is no group without people, and its people are asked at its level', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  const escalation = [{ assignee: '@finance', seconds: 3600 }]
  const due = { seconds: 0.2, on_due: 'escalate', escalation }
  await using project = await aProjectAt(issuer, { deciders: ['ben'], due })
  await using server = await aServer(project)
  const hold = await heldRun(server)
  const ana = await signedIn(server, issuer, ANA)
  for (let level = 0; level === 0; await new Promise(resolve => setTimeout(resolve, 25)))
    level = (await server.send(`/v1/holds/${hold}?view=plain`)).json.level
  expect(await approved(ana, hold)).toMatchObject({ outcome: 'recorded' })

  await project.write('.holdpoint/config.json', JSON.stringify({ deciders: ['@finance'] }))
  expect((await project.holdpoint('-a', 'deploy')).stderr).toContain('there is nobody in @finance')
})

test('a proxy proves groups in the same way', async () => {
  await using issuer = await aSmallIssuer('holdpoint')
  await using project = await aProjectAt(issuer, { deciders: { people: ['@finance'], quorum: 2 } })
  await using server = await aServer(project)
  const hold = await heldRun(server)
  const sent = async (email: string, groups: string) => ({
    ...{ token: '', body: { verdict: 'approve' } },
    headers: {
      'x-proxy-assertion': await issuer.sign({ aud: 'holds', email, groups }),
      ...{ origin: server.url, 'sec-fetch-site': 'same-origin' },
    },
  })
  const path = `/v1/holds/${hold}/decisions`
  expect((await server.send(path, await sent('eve@example.org', 'finance'))).status).toBe(403)
  const first = await server.send(path, await sent('ana@example.org', 'staff,fin-approvers'))
  expect(first.json).toMatchObject({ outcome: 'recorded', hold: { status: 'open' } })
  const second = await server.send(path, await sent('cem@example.org', 'fin-approvers'))
  expect(second.json).toMatchObject({
    ...{ hold: { status: 'decided' } },
    decision: { member_of: { groups: ['finance'], proven_by: 'proxy', issuer: issuer.url } },
  })
})
