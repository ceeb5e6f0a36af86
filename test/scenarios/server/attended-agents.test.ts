import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectHoldpoint } from '../../../src/client/connect-holdpoint.ts'
import { agents, type Document, endAgents, until } from '../agents/agents.ts'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, TOKEN } from './server-process.ts'
import { openStream } from './stream-client.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
]
const SLOW = [
  { text: 'I sleep.', calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'sleep 300' } }] },
  'Awake.',
]

function aFleet(files: Record<string, string> = {}): Promise<Project> {
  const policy = { tools: { run_command: 'prompt' } } as const
  return aProject({ script: DEPLOY, policy, files: { 'slow.json': JSON.stringify(SLOW), ...files } })
}

async function deployer(project: Project): Promise<Document> {
  await agents(project, 'spawn', '--name', 'deployer', '--interactive', '--on-idle', 'park', 'deploy')
  return until(project, 'deployer', 'waiting')
}

test('P4: who watches an agent over REST sees how it stands, its holds in full and what it does, from any place', async () => {
  await using project = await aFleet()
  const { id } = await deployer(project)
  await using server = await aServer(project, '--no-work')
  await using stream = await openStream(server, '/v1/agents/deployer/events')
  const status = await stream.first(({ event }) => event === 'agent.status')
  expect(status).toMatchObject({
    id: null,
    data: { id, status: 'waiting', because: expect.any(String), ends_at: null },
  })
  const { data } = await stream.first(({ event }) => event === 'agent.holds')
  const command = expect.stringContaining('applied')
  expect(data.holds).toMatchObject([{ call_id: 'tc_1', arguments: { command }, digest: expect.any(String) }])
  const opened = await stream.first(({ event }) => event === 'hold.opened')

  const approve = { verdict: 'approve', seen: { digest: data.holds[0].digest, level: 0 } }
  expect((await server.send(`/v1/holds/${data.holds[0].id}/decisions`, { body: approve })).status).toBe(200)
  const isDecided = ({ call_id }: Document) => call_id !== 'tc_1'
  await stream.first(frame => frame.event === 'agent.holds' && frame.data.holds.every(isDecided))
  const idle = await stream.first(frame => frame.event === 'agent.status' && frame.data.status === 'idle')
  expect(idle.data).toMatchObject({ because: 'it waits for a message', ends_at: expect.any(String) })
  expect(await project.effects()).toEqual(['applied'])
  const seqs = stream.frames.flatMap(frame => frame.id ?? [])
  expect(seqs).toEqual(seqs.map((_, at) => at + 1))

  await using later = await openStream(server, '/v1/agents/deployer/events', {
    headers: { 'last-event-id': String(opened.id) },
  })
  expect(await later.first(frame => frame.id !== null)).toMatchObject({ id: (opened.id ?? 0) + 1 })
  const beyond = await server.send('/v1/agents/deployer/events?since=9999')
  expect(beyond).toMatchObject({ status: 409, json: { code: 'unknown_position' } })
  expect((await server.send('/v1/agents/nobody/events')).status).toBe(404)
  await endAgents(project)
})

test('a message of the mode interrupt stops a command that runs, and the client kit follows the agent', async () => {
  await using project = await aProject({ script: SLOW, policy: { default: 'auto' } })
  await agents(project, 'spawn', '--name', 'sleeper', '--interactive', 'sleep')
  await using server = await aServer(project, '--no-work')
  const client = connectHoldpoint({ url: server.url, token: TOKEN })
  const kinds: string[] = []
  for await (const news of client.agents.follow('sleeper')) {
    kinds.push(news.kind)
    if (news.kind === 'call.started')
      await client.agents.send('sleeper', { text: 'wake up', whileWaiting: 'interrupt' })
    if (news.kind === 'agent.status' && 'agent' in news && news.agent.status === 'idle') break
  }
  expect(kinds.slice(0, 2)).toEqual(['agent.status', 'agent.holds'])
  expect((await agents(project, 'logs', 'sleeper')).stdout).toMatch(/: wake up\n.*: Awake\.\n/s)
  await endAgents(project)
})

test('rm over REST refuses work that would be lost, unless it is discarded, and never an agent that is not over', async () => {
  await using project = await aFleet()
  const signed = ['-c', 'user.name=ana', '-c', 'user.email=ana@example.org']
  const git = (...args: string[]) => execFileSync('git', [...signed, ...args], { cwd: project.directory })
  git('init', '-q', '-b', 'main')
  git('commit', '-q', '--allow-empty', '-m', 'Begin')
  await using server = await aServer(project, '--no-work')
  const remove = (body: object) => server.send('/v1/agents/deployer/remove', { body })
  await agents(project, 'spawn', '--worktree', '--name', 'deployer', 'deploy')
  const { worktree } = await until(project, 'deployer', 'waiting')
  expect(await remove({ discard: true })).toMatchObject({ status: 409, json: { code: 'agent_not_over' } })
  await agents(project, 'kill', 'deployer')
  writeFileSync(`${worktree.path}/draft.md`, 'not committed')
  expect((await remove({ force: true })).json.code).toBe('invalid_body')
  const refused = await remove({})
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'worktree_not_saved', details: { files: ['?? draft.md'] } },
  })
  expect(existsSync(`${worktree.path}/draft.md`)).toBe(true)
  const removed = await remove({ discard: true })
  expect(removed).toMatchObject({ status: 200, json: { worktree_removed: true, agent: { name: 'deployer' } } })
  expect(existsSync(worktree.path)).toBe(false)
  expect((await remove({})).status).toBe(404)
})

test('the way to the process of an agent is told on the socket of a daemon alone, and to its owner', async () => {
  await using project = await aFleet()
  await deployer(project)
  await using server = await aServer(project, '--no-work')
  const refused = await server.send('/v1/agents/deployer/attach', { body: {} })
  expect(refused).toMatchObject({ status: 422, json: { code: 'not_over_server' } })
  expect(JSON.stringify(refused.json)).not.toContain('token":')
  const token = (await project.holdpoint('tokens', 'add', 'vic', '--role', 'operator')).stdout.trim()
  expect((await server.send('/v1/agents/deployer/attach', { body: {}, token })).status).toBe(403)
  await endAgents(project)
})

test('attach over a server tells the conversation, takes messages and decisions, and ends at the end of its input', async () => {
  await using project = await aFleet()
  await deployer(project)
  await using server = await aServer(project, '--no-work')
  const env = { HOLDPOINT_SERVER: server.url, HOLDPOINT_TOKEN: TOKEN }
  const attach = (...words: string[]) => ['agents', 'attach', 'deployer', ...words]
  const file = `${JSON.stringify({ type: 'user_message', text: 'read', files: [{ path: 'notes.txt' }] })}\n`
  const refused = await project.run(attach(), { env, stdin: file })
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('Give the file as base64') })
  const seen = await project.run(attach('--end-on-eof'), { env, stdin: '/approve tc_1\nand more\n' })
  expect(seen).toMatchObject({ exit: 0, stderr: expect.stringContaining('deployer') })
  expect(seen.stdout).toMatch(/\? tc_1 hold_\S+ waits(.*\n)*deployer: I am about to apply\.\n/)
  // The message is heard with the result of the call, or in a turn of its own.
  expect(seen.stdout).toMatch(/: and more\n(.*\n)*deployer: (Deployed|More is done)\.\n(.*\n)*= the agent is done/)
  expect(await project.effects()).toEqual(['applied'])
  const { session_id } = await until(project, 'deployer', 'done')
  const [first] = (await server.send(`/v1/threads/${session_id}/messages`)).json.messages
  expect(first.content).toBe('deploy')

  // Without a terminal it only looks, and the end of its input ends nothing.
  const looked = await project.run(attach('--json', '--since', '0', '--server', server.url), {
    env,
    stdin: '',
  })
  expect(looked.exit).toBe(0)
  const types = looked.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).type)
  expect(types.slice(0, 2)).toEqual(['status', 'holds'])
})
