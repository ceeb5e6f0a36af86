/** Browsers hear of holds while no page is open, by a push service that takes nothing which a real one would refuse. */
import { expect, test } from 'vitest'
import { authorizationOf, makePushKeys } from '../../../src/notifiers/push/push-keys.ts'
import { sealPush } from '../../../src/notifiers/push/seal-push.ts'
import { until } from '../processes.ts'
import { aProject, command, effect, type Project, type ProjectOptions } from '../project.ts'
import { aServer, type ServerProcess } from '../server/server-process.ts'
import { Browser } from '../server/small-browser.ts'
import { type PushedBrowser, PushService } from './push-service.ts'

const script = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']

interface Scene extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly service: PushService
}

async function aPushing(
  { push = {}, ...config }: Record<string, unknown> = {},
  said: ProjectOptions['script'] = script,
): Promise<Scene> {
  const stack = new AsyncDisposableStack()
  const service = stack.use(await PushService.open())
  const project = stack.use(
    await aProject({
      ...{ script: said, policy: { default: 'prompt' } },
      config: { ...config, push: { allow_private: true, contact: 'mailto:ops@example.org', ...(push as object) } },
    }),
  )
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  const server = stack.use(await aServer(project))
  return { project, server, service, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

interface Person {
  readonly token: string
  /** Signed in at the page. */
  readonly page: Browser
  /** Subscribed. */
  readonly browser: PushedBrowser
}

async function aPerson({ project, server, service }: Scene, name: string, role = 'decider'): Promise<Person> {
  const token = (await project.holdpoint('tokens', 'add', name, '--role', role)).stdout.trim()
  const page = new Browser(server)
  expect((await send(page, 'POST', '/v1/session', { token })).status).toBe(200)
  const { public_key } = (await (await page.go('/v1/push')).json()) as { public_key: string }
  const browser = service.browser(public_key)
  expect((await send(page, 'POST', '/v1/push', browser.subscription)).status).toBe(204)
  return { token, page, browser }
}

function send(page: Browser, method: string, path: string, body: unknown): Promise<Response> {
  return page.go(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
}

async function paused(project: Project, input = 'deploy'): Promise<string> {
  const { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', input)
  expect(exit).toBe(10)
  return json.pause_reason.pending_tool_calls[0].hold_id
}

const holdsOf = ({ pushed }: PushedBrowser) => pushed.map(({ message }) => message.hold_id)

async function notices(project: Project): Promise<readonly { status: string; hold_id: string; address: string }[]> {
  const { json } = await project.holdpoint('notices', '--json')
  return json
}

test('a browser hears of a hold while no page is open: the act and its task, sealed for it alone', async () => {
  await using scene = await aPushing()
  const { browser } = await aPerson(scene, 'ben')
  const hold = await paused(scene.project, 'Put the release out')
  await until(() => browser.pushed.length > 0)
  const [{ message, headers, claims, length } = { message: null, headers: {}, claims: null, length: 0 }] =
    browser.pushed
  const title = (await scene.project.holdpoint('show', hold, '--json')).json.title
  expect(message).toEqual({ hold_id: hold, title, body: expect.stringContaining('Put the release out') })
  expect(title).toContain('effects.log')
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' })
  expect(JSON.stringify(headers)).not.toContain(hold)
  expect(claims).toMatchObject({ aud: scene.service.wire.url, sub: 'mailto:ops@example.org' })
  expect(length).toBeLessThan(4_096)
  const [{ body } = { body: '' }] = scene.service.wire.requests
  expect(body).not.toContain('effects.log')
})

test('P1: a push reaches those who may decide, and nobody hears of what was before they subscribed', async () => {
  await using scene = await aPushing({ deciders: ['ana'] })
  const before = await paused(scene.project)
  const [ana, ben] = [await aPerson(scene, 'ana'), await aPerson(scene, 'ben')]
  const after = await paused(scene.project)
  await until(() => ana.browser.pushed.length > 0)
  const last = await paused(scene.project)
  await until(() => ana.browser.pushed.length > 1)
  expect(holdsOf(ana.browser)).toEqual([after, last])
  expect(holdsOf(ben.browser)).toEqual([])
  expect(holdsOf(ana.browser)).not.toContain(before)
})

test('P1: a session that ends, and a token that is revoked, take their browsers with them', async () => {
  await using scene = await aPushing()
  const { project, server } = scene
  const [ana, ben, carl] = [await aPerson(scene, 'ana'), await aPerson(scene, 'ben'), await aPerson(scene, 'carl')]
  const bearer = scene.service.browser(ben.browser.serverKey)
  const subscribed = await server.send('/v1/push', { body: bearer.subscription, token: ben.token })
  expect(subscribed.status).toBe(204)
  await paused(project)
  await until(() => [ana, ben, carl].every(({ browser }) => browser.pushed.length === 1) && bearer.pushed.length === 1)

  expect((await ana.page.go('/v1/session', { method: 'DELETE' })).status).toBe(204)
  expect((await project.holdpoint('tokens', 'revoke', 'ben')).exit).toBe(0)
  await paused(project)
  await until(() => carl.browser.pushed.length === 2)
  await until(async () => (await notices(project)).every(({ status }) => status === 'sent'))
  expect([ana.browser, ben.browser, bearer].map(({ pushed }) => pushed.length)).toEqual([1, 1, 1])
})

test('P1: a push that waits for its service goes to nobody who has signed out, and asks nothing that was decided', async () => {
  await using scene = await aPushing()
  const { project, service } = scene
  const [ana, ben] = [await aPerson(scene, 'ana'), await aPerson(scene, 'ben')]
  service.wire.fail('', { status: 503, headers: { 'retry-after': '1' }, body: '' }, 1_000)
  const hold = await paused(project)
  await until(() => new Set(service.wire.requests.map(({ path }) => path)).size === 2)
  expect((await ana.page.go('/v1/session', { method: 'DELETE' })).status).toBe(204)
  await until(async () => (await notices(project)).some(({ status }) => status === 'dropped'))
  expect((await project.holdpoint('approve', hold)).exit).toBe(0)
  service.wire.faults.length = 0
  await until(async () => (await notices(project)).every(({ status }) => status === 'dropped'))
  expect([ana.browser.pushed, ben.browser.pushed]).toEqual([[], []])
})

test('a service that is busy gets the push again after the pause that it asked for', async () => {
  await using scene = await aPushing()
  const { browser } = await aPerson(scene, 'ben')
  scene.service.wire.fail('', { status: 429, headers: { 'retry-after': '1' }, body: '' })
  const hold = await paused(scene.project)
  await until(() => browser.pushed.length > 0)
  expect(holdsOf(browser)).toEqual([hold])
  const topics = scene.service.wire.requests.map(({ headers }) => headers['topic'])
  expect([topics.length, new Set(topics).size]).toEqual([2, 1])
})

test('a browser that was removed is forgotten, and that is no failure', async () => {
  await using scene = await aPushing()
  const [gone, kept] = [await aPerson(scene, 'ana'), await aPerson(scene, 'ben')]
  gone.browser.isGone = true
  await paused(scene.project)
  await until(() => kept.browser.pushed.length === 1)
  await until(async () => (await notices(scene.project)).every(({ status }) => status !== 'due'))
  expect((await notices(scene.project)).map(({ status }) => status).toSorted()).toEqual(['dropped', 'sent'])
  const tried = scene.service.wire.requests.length
  await paused(scene.project)
  await until(() => kept.browser.pushed.length === 2)
  expect(scene.service.wire.requests.length).toBe(tried + 1)
  expect((await scene.server.send('/readyz')).json).toEqual({ status: 'ready' })
  expect(scene.server.said.join('\n')).not.toContain('did not take')
})

test('with "body": "none" a push says only that something waits', async () => {
  await using scene = await aPushing({ push: { body: 'none' } })
  const { browser } = await aPerson(scene, 'ben')
  const hold = await paused(scene.project, 'Put the release out')
  await until(() => browser.pushed.length > 0)
  expect(browser.pushed[0]?.message).toEqual({ hold_id: hold, title: 'Something waits for you', body: '' })
})

test('many holds at once become one push that leads to the list', async () => {
  const calls = Array.from({ length: 8 }, (_, n) => command(`tc_${n}`, `echo ${n}`))
  await using scene = await aPushing({}, [{ calls }, 'Done.'])
  const { browser } = await aPerson(scene, 'ben')
  await paused(scene.project)
  await until(() => browser.pushed.length > 0)
  await until(async () => (await notices(scene.project)).every(({ status }) => status === 'sent'))
  const digests = browser.pushed.filter(({ message }) => message.hold_id === null)
  expect(digests.map(({ message }) => message)).toEqual([
    { hold_id: null, title: '8 wait for you', body: expect.stringContaining('echo 0') },
  ])
})

test('P1: nothing is pushed to addresses of this machine or its network unless the settings say so, nor to no key', async () => {
  await using scene = await aPushing({ push: { allow_private: false } })
  const page = new Browser(scene.server)
  const token = (await scene.project.holdpoint('tokens', 'add', 'ben', '--role', 'decider')).stdout.trim()
  await send(page, 'POST', '/v1/session', { token })
  const { keys } = scene.service.browser('').subscription
  const tried = async (body: unknown) => {
    const answer = await send(page, 'POST', '/v1/push', body)
    return [answer.status, answer.status === 204 ? null : ((await answer.json()) as { code: string }).code]
  }
  const endpoints = [
    ...['http://push.example.org/1', 'https://127.0.0.1/1', 'https://10.0.0.7/1', 'https://[::1]/1'],
    ...['https://localhost:8443/1', 'ftp://push.example.org/1', 'push.example.org'],
  ]
  for (const endpoint of endpoints) expect(await tried({ endpoint, keys })).toEqual([422, 'push_not_allowed'])
  const noPoint = { ...keys, p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url') }
  expect(await tried({ endpoint: 'https://push.example.org/1', keys: noPoint })).toEqual([422, 'push_not_allowed'])
  for (const faulty of [
    { keys },
    { endpoint: 'https://push.example.org/1' },
    { endpoint: `https://push.example.org/${'x'.repeat(2_048)}`, keys },
  ])
    expect((await tried(faulty))[0]).toBe(422)
  expect(await tried({ endpoint: 'https://push.example.org/1', keys })).toEqual([204, null])
  const byOwner = await scene.server.send('/v1/push', { body: { endpoint: 'https://push.example.org/2', keys } })
  expect([byOwner.status, byOwner.json.code]).toEqual([403, 'push_needs_sign_in'])
  const viewer = (await scene.project.holdpoint('tokens', 'add', 'carl', '--role', 'viewer')).stdout.trim()
  const byViewer = await scene.server.send('/v1/push', { body: { endpoint: endpoints[0], keys }, token: viewer })
  expect([byViewer.status, byViewer.json.code]).toEqual([403, 'role_not_sufficient'])
})

test('a browser that unsubscribes hears nothing, and nobody unsubscribes another one', async () => {
  await using scene = await aPushing()
  const [ana, ben] = [await aPerson(scene, 'ana'), await aPerson(scene, 'ben')]
  const path = `/v1/push?endpoint=${encodeURIComponent(ana.browser.subscription.endpoint)}`
  expect((await ben.page.go(path, { method: 'DELETE' })).status).toBe(204)
  await paused(scene.project)
  await until(() => ana.browser.pushed.length === 1)
  expect((await ana.page.go(path, { method: 'DELETE' })).status).toBe(204)
  await paused(scene.project)
  await until(() => ben.browser.pushed.length === 2)
  expect(ana.browser.pushed.length).toBe(1)
})

test('the service of these tests takes what is right, and refuses each fault', async () => {
  await using service = await PushService.open()
  const keys = makePushKeys()
  const browser = service.browser(keys.public_key)
  const { endpoint, keys: own } = browser.subscription
  const claims = { audience: service.wire.url, contact: 'mailto:ops@example.org', now: Date.now() }
  const usual = { authorization: authorizationOf(keys, claims), 'content-encoding': 'aes128gcm', ttl: '60' }
  const body = sealPush(own, Buffer.from('{}'))
  const status = async (changes: Record<string, string>, sent: Buffer = body) => {
    const headers = Object.fromEntries(Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== ''))
    return (await fetch(endpoint, { method: 'POST', headers, body: new Uint8Array(sent) })).status
  }
  const signed = (changes: Partial<typeof claims>, by = keys) => ({
    authorization: authorizationOf(by, { ...claims, ...changes }),
  })
  expect(await status({})).toBe(201)
  expect(await status({ ttl: '' })).toBe(400)
  expect(await status({ 'content-encoding': 'aesgcm' })).toBe(415)
  expect(await status({}, Buffer.concat([body, Buffer.alloc(2_000)]))).toBe(413)
  expect(await status({ topic: 'x'.repeat(33) })).toBe(400)
  expect(await status({ authorization: '' })).toBe(403)
  expect(await status(signed({ audience: 'https://other.example.org' }))).toBe(403)
  expect(await status(signed({ now: Date.now() - 86_400_000 }))).toBe(403)
  expect(await status(signed({ now: Date.now() + 86_400_000 }))).toBe(403)
  expect(await status(signed({ contact: 'ops' }))).toBe(403)
  expect(await status(signed({}, makePushKeys()))).toBe(403)
  const forged = `vapid t=${usual.authorization.split('.').slice(0, 2).join('.').replace('vapid t=', '')}.${'A'.repeat(86)}, k=${keys.public_key}`
  expect(await status({ authorization: forged })).toBe(403)
})
