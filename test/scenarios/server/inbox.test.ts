/** `holdpoint inbox`: one command, and the person at the terminal is signed in on the page. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, openHold } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

/** What a browser does that opens the link: it takes the part behind the # to the server. */
async function opened(link: string) {
  const url = new URL(link)
  const [secret, next] = url.hash.slice(1).split('&next=')
  const headers = { 'content-type': 'application/json', origin: url.origin, 'sec-fetch-site': 'same-origin' }
  const body = JSON.stringify({ link: secret })
  const answer = await fetch(`${url.origin}/v1/session`, { method: 'POST', headers, body })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  const json = (await answer.json()) as any
  return { status: answer.status, json, headers: { ...headers, cookie }, next: decodeURIComponent(next ?? '/') }
}

/** Starts an inbox of its own, and waits for what it tells. */
async function anInbox(project: Project) {
  const child = project.start(['inbox', '--json', '--port', '0'])
  const [line] = (
    await new Promise<string>((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', chunk => {
        said += chunk
        if (said.includes('\n')) resolve(said)
      })
      child.once('close', code => reject(new TypeError(`it ended with ${code}`)))
    })
  ).split('\n')
  return {
    document: JSON.parse(line ?? ''),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await new Promise(resolve => child.once('close', resolve))
    },
  }
}

test('the link of an inbox signs one browser in, once, and the browser decides as that person', async () => {
  await using project = await aProject({ script, policy })
  await using inbox = await anInbox(project)
  const { url, link, name, started } = inbox.document
  expect([name, started]).toEqual(['ana', true])
  expect(await (await fetch(`${url}/open`)).text()).toContain('<noscript>')
  // What fetches each link that it sees uses none up: the part behind the # stays with the browser.
  for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).toBe(200)

  const browser = await opened(link)
  expect(browser.json.signed_in).toMatchObject({ name: 'ana', role: 'admin', by: 'session' })
  expect((await opened(link)).json.code).toBe('invalid_sign_in_link')
  const { headers } = browser
  const start = await fetch(`${url}/v1/threads`, { method: 'POST', headers, body: '{"input":"deploy"}' })
  const { run_id } = (await start.json()) as { run_id: string }
  const holds = async () =>
    ((await (await fetch(`${url}/v1/holds?run_id=${run_id}`, { headers })).json()) as never)['holds']
  await expect.poll(holds).toHaveLength(1)
  const [{ id }] = (await holds()) as unknown as [{ id: string }]
  const approve = { method: 'POST', headers, body: '{"verdict":"approve"}' }
  const decided = await fetch(`${url}/v1/holds/${id}/decisions`, approve)
  expect(await decided.json()).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ana' } })
  await expect.poll(() => project.exists('effects.log')).toBe(true)
})

test('a server that runs already is found, and the command ends once it has told the link to a hold', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { json: started } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  const told = await project.holdpoint('inbox', '--json', hold.id.slice(0, 12))
  expect(told).toMatchObject({ exit: 0, json: { url: server.url, started: false } })
  const browser = await opened(told.json.link)
  expect([browser.status, browser.next]).toEqual([200, `/holds/${hold.id}`])

  const file = join(project.directory, '.holdpoint/server.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain('the-token-of-the-owner')
  server.child.kill('SIGTERM')
  await server.exit
  expect(readdirSync(join(project.directory, '.holdpoint'))).not.toContain('server.json')
})

test('P1: no agent gets a link, and an unknown hold none either', async () => {
  await using project = await aProject({ script })
  const agent = await project.run(['inbox', '--json'], { env: { HOLDPOINT_WITHIN: 'agent:default/run_1' } })
  expect(agent).toMatchObject({ exit: 2, stdout: expect.stringContaining('agent_cannot_serve') })
  await using _server = await aServer(project, '--no-work')
  const unknown = await project.holdpoint('inbox', '--json', 'hold_none')
  expect(unknown).toMatchObject({ exit: 2, json: { error: { code: 'unknown_hold' } } })
})

test('a server for other machines gives no link to its owner, and says what to do', async () => {
  await using project = await aProject({ script })
  await project.holdpoint('tokens', 'add', 'ben', '--role', 'viewer')
  await using _server = await aServer(project, '--behind-proxy', '--no-work')
  const refused = await project.holdpoint('inbox')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('serves other machines') })
})
