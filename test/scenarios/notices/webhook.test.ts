import type { ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { until } from '../processes.ts'
import { aProject, command, effect, ended, type Project } from '../project.ts'
import { aServer } from '../server/server-process.ts'
import { aReceiver, eventsAt, type Receiver } from './receiver.ts'

const SECRET = Buffer.from('a secret of thirty-two characters').toString('base64')

async function aDeploying(
  receiver: Receiver,
  hook: object = {},
  call: object = effect('tc_1', 'deployed'),
): Promise<Project> {
  const project = await aProject({
    script: [{ text: 'I deploy.', calls: [call] }, { text: 'Done.' }],
    policy: { tools: { run_command: 'prompt' } },
    env: { HOOK_SECRET: `whsec_${SECRET}` },
    config: {
      notify: {
        base_url: 'https://holds.example.org/',
        channels: { webhook: { url: receiver.url, secret_env: 'HOOK_SECRET', allow_private: true, ...hook } },
      },
    },
  })
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  return project
}

async function paused(project: Project): Promise<string> {
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  return json.pause_reason.pending_tool_calls[0].hold_id
}

class Running implements AsyncDisposable {
  readonly child: ChildProcess

  constructor(project: Project, ...args: string[]) {
    this.child = project.start(args)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const over = ended(this.child)
    this.child.kill('SIGTERM')
    await over
  }
}

test('a program hears of a hold and of its decision, signed, without the arguments', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver)
  await using _worker = new Running(project, 'work')
  const hold = await paused(project)
  await until(() => receiver.posts.length > 0)
  const [{ headers, body, json } = { headers: {}, body: '', json: null }] = receiver.posts
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signature = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(content).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  expect(json).toMatchObject({
    type: 'hold.opened',
    data: { hold_id: hold, tool: 'run_command', status: 'open', url: `https://holds.example.org/holds/${hold}` },
  })
  expect(body).not.toContain('effects.log')
  expect((await project.holdpoint('approve', hold)).exit).toBe(0)
  await until(() => eventsAt(receiver).includes('hold.decided'))
  expect(receiver.posts[1]?.json.data).toMatchObject({ decision: { verdict: 'approve', decided_by: 'ana' } })
  await until(() => eventsAt(receiver).includes('hold.ended'))
  expect(receiver.posts[2]?.json.data.result).toMatchObject({ status: 'succeeded', failed: false, exit_code: 0 })
  expect(eventsAt(receiver)).toEqual(['hold.opened', 'hold.decided', 'hold.ended'])
})

test('a receiver that fails gets the same notice again with the same id, and holds up nobody', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver, { events: ['opened'] })
  receiver.answer = response =>
    response.writeHead(receiver.posts.length === 1 ? 429 : 200, { 'retry-after': '1' }).end()
  await using _worker = new Running(project, 'work')
  await paused(project)
  await until(() => receiver.posts.length === 2)
  const ids = receiver.posts.map(({ headers }) => headers['webhook-id'])
  expect(ids[0]).toMatch(/^ntc_/)
  expect(ids[1]).toBe(ids[0])
})

test('what waited before there were notices is told once, by whichever process is first', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver)
  await paused(project)
  await Promise.all([project.holdpoint('work', '--once'), project.holdpoint('work', '--once')])
  await project.holdpoint('work', '--once')
  expect(eventsAt(receiver)).toEqual(['hold.opened'])
})

test('a worker whose channel has no secret does not start, and says which variable is missing', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver)
  const { exit, stderr } = await project.run(['work'], { env: { HOOK_SECRET: '' } })
  expect(exit).toBe(2)
  expect(stderr).toContain('HOOK_SECRET')
  expect(receiver.posts).toEqual([])
})

test('a notice that no receiver takes is given up, shown, and sent when it is retried', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver, { events: ['opened'] })
  receiver.answer = response => response.writeHead(410).end()
  await paused(project)
  const sent = await project.holdpoint('notices', 'send')
  expect(sent).toMatchObject({ exit: 1, stderr: expect.stringContaining('wants no more notices') })
  const failed = await project.holdpoint('notices', '--failed', '--json')
  expect(failed.json).toMatchObject([{ event: 'opened', channel: 'webhook', status: 'failed', tries: 1 }])
  const { json } = await project.holdpoint('doctor', '--offline', '--json')
  expect(json.checks).toContainEqual(expect.objectContaining({ check: 'notices', status: 'warn' }))
  await using server = await aServer(project)
  const ready = async () => (await server.send('/readyz', { token: '' })).json
  expect(await ready()).toEqual({ status: 'ready', degraded: ['notices'] })
  receiver.answer = response => response.end()
  expect((await project.holdpoint('notices', 'retry', failed.json[0].id)).exit).toBe(0)
  expect((await project.holdpoint('notices', 'send')).exit).toBe(0)
  expect((await project.holdpoint('notices')).stdout).toMatch(/opened .* sent /)
  expect(await ready()).toEqual({ status: 'ready' })
  expect((await project.holdpoint('notices', 'retry', failed.json[0].id)).exit).toBe(2)
})

test('a receiver that wants no more is met no more, until its settings change or its notice is retried', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver, { events: ['opened'] })
  const posted = async (expected: number) => {
    await paused(project)
    await project.holdpoint('notices', 'send')
    expect(receiver.posts).toHaveLength(expected)
  }
  receiver.answer = response => response.writeHead(410).end()
  await posted(1)
  await posted(1)
  const { json } = await project.holdpoint('notices', '--json')
  expect(json).toMatchObject([
    { status: 'dropped', error: expect.stringContaining('wants no more notices') },
    { status: 'failed' },
  ])
  receiver.answer = response => response.end()
  await posted(1)
  const written = JSON.parse(await project.read('.holdpoint', 'config.json'))
  written.notify.channels.webhook.content = 'full'
  await project.write('.holdpoint/config.json', JSON.stringify(written))
  await project.holdpoint('trust', '--yes')
  await posted(2)
  written.notify.channels.webhook.content = 'none'
  await project.write('.holdpoint/config.json', JSON.stringify(written))
  await project.holdpoint('trust', '--yes')
  await posted(2)
  expect((await project.holdpoint('notices', 'retry', json[1].notice_id)).exit).toBe(0)
  await posted(4)
})

test('a test reaches the channel, and says what it answered', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver)
  expect(await project.holdpoint('notices', 'test', 'webhook')).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('taken'),
  })
  expect(eventsAt(receiver)).toEqual(['notice.test'])
  const unknown = await project.holdpoint('notices', 'test', 'slack')
  expect(unknown).toMatchObject({ exit: 2, stderr: expect.stringContaining('It has webhook') })
})

test('a program gets the notice as JSON on its stdin, without the secrets of channels', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver)
  const argv = ['sh', '-c', 'cat >> told.jsonl; env >> told.env']
  const webhook = { url: receiver.url, secret_env: 'HOOK_SECRET', allow_private: true }
  await project.write(
    '.holdpoint/config.json',
    JSON.stringify({ notify: { channels: { command: { argv }, webhook } } }),
  )
  await project.holdpoint('trust', '--yes')
  const hold = await paused(project)
  expect((await project.holdpoint('notices', 'send')).exit).toBe(0)
  expect(JSON.parse(await project.read('told.jsonl'))).toMatchObject({ type: 'hold.opened', data: { hold_id: hold } })
  expect(await project.read('told.env')).not.toContain('HOOK_SECRET')
})

test('P1: no command of an agent inherits the secrets of channels, also under `work --once`', async () => {
  await using receiver = await aReceiver()
  await using project = await aDeploying(receiver, {}, command('tc_1', 'env > seen.txt'))
  const hold = await paused(project)
  expect((await project.holdpoint('notices', 'send')).exit).toBe(0)
  expect((await project.holdpoint('approve', hold)).exit).toBe(0)
  expect((await project.holdpoint('work', '--once')).exit).toBe(0)
  const seen = await project.read('seen.txt')
  expect(seen).toContain('PATH=')
  expect(seen).not.toContain('HOOK_SECRET')
  expect(eventsAt(receiver)).toEqual(['hold.opened', 'hold.decided', 'hold.ended'])
  for (const { headers } of receiver.posts) expect(headers['webhook-signature']).toMatch(/^v1,/)
})

test.each([
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://2130706433/hook',
  'https://[::1]/hook',
  'https://[::ffff:10.0.0.7]/hook',
  'https://localhost/hook',
  'https://hooks.localhost./hook',
  'https://10.1.2.3/hook',
  'https://169.254.169.254/latest',
  'https://192.168.0.9:8443/hook',
  'http://hooks.example.org/in',
])(
  'a webhook at %s is refused when it would be started, and by the doctor, unless the project allows it',
  async url => {
    await using receiver = await aReceiver()
    await using project = await aDeploying(receiver, { url, allow_private: false })
    await paused(project)
    for (const command of [
      ['notices', 'send'],
      ['work', '--once'],
      ['notices', 'test', 'webhook'],
    ])
      expect(await project.holdpoint(...command, '-o', 'json')).toMatchObject({
        exit: 2,
        json: { error: { code: 'unsafe_webhook', hint: expect.stringContaining('allow_private') } },
      })
    const checks = (await project.holdpoint('doctor', '--json')).json.checks as readonly {
      check: string
      status: string
    }[]
    expect(checks.find(({ check }) => check === 'notices')).toMatchObject({ status: 'fail' })
    expect(receiver.posts).toEqual([])
  },
)
