import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
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
  const database = new DatabaseSync(join(project.directory, '.holdpoint/holdpoint.db'), { readOnly: true })
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
