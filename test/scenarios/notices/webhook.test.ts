import type { ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { until } from '../processes.ts'
import { aProject, effect, ended, type Project } from '../project.ts'
import { aReceiver, eventsAt, type Receiver } from './receiver.ts'

const SECRET = Buffer.from('a secret of thirty-two characters').toString('base64')

async function aDeploying(receiver: Receiver, hook: object = {}): Promise<Project> {
  const project = await aProject({
    script: [{ text: 'I deploy.', calls: [effect('tc_1', 'deployed')] }, { text: 'Done.' }],
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
  expect(eventsAt(receiver)).toEqual(['hold.opened', 'hold.decided'])
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
