import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../open-database.ts'
import { agents, endAgents, until } from '../agents/agents.ts'
import { aProject, type Project } from '../project.ts'
import { Client } from './agent-stage.ts'

interface Row {
  readonly pid: number
  readonly endpoint: string
  readonly token: string
  readonly invocation: number
}

function presenceOf(project: Project): Row {
  const database = openDatabase(join(project.directory, '.holdpoint/holdpoint.db'), { readOnly: true })
  try {
    const row = database.prepare('SELECT * FROM presences').get() ?? {}
    const { process, endpoint, token, invocation } = row
    const pid = Number(String(process).split(':')[1])
    return { pid, endpoint: String(endpoint), token: String(token), invocation: Number(invocation) }
  } finally {
    database.close()
  }
}

async function attached(project: Project): Promise<Client> {
  const { endpoint, token } = presenceOf(project)
  const client = new Client(connect(endpoint))
  client.send({ type: 'hello', protocol: 1, token, role: 'writer', actor: 'ana', since: 0 })
  await client.first('welcome')
  return client
}

test('P4: an agent that is killed while it is idle is parked, and a message goes on with it in a new process, with another token', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.'] })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  const [before, ana] = [presenceOf(project), await attached(project)]
  process.kill(before.pid, 'SIGKILL')
  await ana.closed()
  await until(project, 'docs', 'parked')
  expect((await agents(project, 'send', 'docs', 'and more')).exit).toBe(0)
  await until(project, 'docs', 'idle')
  const after = presenceOf(project)
  expect(after.invocation).toBe(before.invocation + 1)
  expect(after.endpoint).not.toBe(before.endpoint)
  const stale = new Client(connect(after.endpoint))
  stale.send({ type: 'hello', protocol: 1, token: before.token, role: 'writer', actor: 'ana' })
  expect(await stale.first('error')).toMatchObject({ code: 'forbidden' })
  const again = await attached(project)
  await again.first('event', ({ event }) => JSON.stringify(event).includes('More.'))
  again.socket.destroy()
  await endAgents(project)
})

const WELCOME = {
  ...{ type: 'welcome', protocol: 1, status: 'idle', because: 'it waits', role: 'writer', writer: 'ana', clients: 1 },
  ...{ seq: 0, holds: [], queued: [], agent: {}, limits: {} },
}

/** Takes the place of the agent's socket: the process of the agent is killed as soon as a message reaches it. */
async function killedByMessage(project: Project): Promise<void> {
  const { pid } = presenceOf(project)
  const endpoint = project.path('socket')
  const server = createServer(socket => {
    socket.on('error', () => {})
    createInterface({ input: socket }).on('line', line => {
      const { type } = JSON.parse(line)
      if (type === 'hello') socket.write(`${JSON.stringify(WELCOME)}\n`)
      if (type !== 'user_message') return
      process.kill(pid, 'SIGKILL')
      socket.destroy()
    })
  }).listen(endpoint)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  using database = openDatabase(join(project.directory, '.holdpoint/holdpoint.db'))
  database.prepare('UPDATE presences SET endpoint = ?').run(endpoint)
}

test('P4: a line that the killed process of an agent did not answer is heard by its next one, and the lines behind it are told as not sent', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.'] })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  await killedByMessage(project)
  const left = await project.run(['agents', 'attach', 'docs'], { stdin: 'one\ntwo\n' })
  expect(left).toMatchObject({ exit: 2, stderr: expect.stringContaining('the lines that follow were not sent') })
  const { session_id } = await until(project, 'docs', 'idle')
  const said = (await project.holdpoint('threads', 'show', session_id)).stdout
  expect(said).toMatch(/user: one\n.*More\.\n/s)
  expect(said).not.toContain('two')
  await endAgents(project)
})

test('P4: an agent that is killed in the middle of a turn is told as crashed, and resume goes on with it', async () => {
  await using project = await aProject({ script: [{ text: 'Slow.', delay_ms: 2_500 }] })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  const ana = await until(project, 'docs', 'running').then(() => attached(project))
  process.kill(presenceOf(project).pid, 'SIGKILL')
  await ana.closed()
  expect(await until(project, 'docs', 'crashed')).toMatchObject({ because: expect.stringContaining('can go on') })
  expect((await agents(project, 'resume', 'docs')).exit).toBe(0)
  await until(project, 'docs', 'idle')
  await endAgents(project)
})

test('an agent in a process of its own is told to end, and its task is over', async () => {
  await using project = await aProject({ script: ['Ready.'] })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  const ana = await attached(project)
  ana.send({ type: 'end', input_id: 'e1' })
  expect(await ana.answerTo('e1')).toMatchObject({ outcome: 'recorded' })
  await ana.first('bye')
  await until(project, 'docs', 'done')
})
