import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { fetchFor, UNIX_HOST } from '../../../src/client/reach/unix-fetch.ts'
import { isAlive, until } from '../processes.ts'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, TOKEN } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

interface Daemon extends AsyncDisposable {
  readonly child: ChildProcess
  readonly server: string
  readonly socket: string
  readonly pid: number
}

/** `holdpoint daemon`, once it listens. */
async function aDaemon(project: Project): Promise<Daemon> {
  const child = project.start(['daemon', '--json'])
  const exit = once(child, 'close')
  const said: string[] = []
  child.stderr?.on('data', chunk => said.push(String(chunk)))
  if (!child.stdout) throw new TypeError('no stdout')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exit.then(() => Promise.reject(new Error(`it ended: ${said.join('')}`))),
  ])
  const { server, pid } = JSON.parse(line)
  return {
    ...{ child, server, pid, socket: server.slice('unix:'.length) },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function pausedRun(project: Project): Promise<{ hold_id: string; run_id: string }> {
  const { json } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'deploy')
  return { hold_id: json.pause_reason.pending_tool_calls[0].hold_id, run_id: json.run_id }
}

test('what waits is seen and decided over the socket of the daemon, and the daemon goes on with the run', async () => {
  await using project = await aProject({ script, policy })
  const { hold_id, run_id } = await pausedRun(project)
  await using daemon = await aDaemon(project)
  const over = { env: { HOLDPOINT_SERVER: daemon.server } }
  expect((await project.run(['holds', '--json'], over)).json).toMatchObject([{ hold_id }])
  expect((await project.run(['approve', hold_id, '--json', '--server', daemon.server])).json).toMatchObject({
    outcome: 'recorded',
    decision: { surface: 'http' },
  })
  await until(async () => (await project.run(['show', run_id, '--json'], over)).json.status === 'done')
  expect(await project.effects()).toEqual(['applied'])
})

test('only its user reaches the socket', async () => {
  await using project = await aProject({ script, policy })
  await using daemon = await aDaemon(project)
  const found = lstatSync(daemon.socket)
  expect([found.isSocket(), found.mode & 0o777]).toEqual([true, 0o600])
  expect(lstatSync(dirname(daemon.socket)).mode & 0o777).toBe(0o700)
})

test('its socket tells the owner the way to the process of an agent, and others attach by it', async () => {
  await using project = await aProject({ script: ['Ready.'], policy })
  await using daemon = await aDaemon(project)
  await project.holdpoint('agents', 'spawn', '--name', 'docs', '--interactive', '--wait', 'go')
  const token = (await project.holdpoint('tokens', 'own')).stdout.trim()
  const asked = await fetchFor(daemon.server)(`${UNIX_HOST}/v1/agents/docs/attach`, {
    ...{ method: 'POST', body: '{}' },
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
  })
  const door = (await asked.json()) as { endpoint: string; token: string; protocol: number }
  expect([asked.status, Object.keys(door).toSorted()]).toEqual([200, ['endpoint', 'protocol', 'token']])
  const hello = { type: 'hello', protocol: door.protocol, token: door.token, role: 'viewer', actor: 'ana' }
  const socket = connect(door.endpoint)
  socket.write(`${JSON.stringify(hello)}\n`)
  const [line] = await once(createInterface(socket), 'line')
  expect(JSON.parse(line)).toMatchObject({ type: 'welcome', agent: { name: 'docs' }, status: 'idle' })
  socket.destroy()
  await project.holdpoint('agents', 'kill', 'docs')
})

test('over its socket the person of each command signs, and on no other server is a name believed', async () => {
  await using project = await aProject({ script, policy })
  const { hold_id } = await pausedRun(project)
  await using daemon = await aDaemon(project)
  const approve = ['approve', hold_id, '--json', '--server', daemon.server]
  const decided = await project.run(approve, { env: { HOLDPOINT_ACTOR: 'bén' } })
  expect(decided.json.decision).toMatchObject({ decided_by: 'bén', verdict: 'approve' })

  const token = (await project.holdpoint('tokens', 'own')).stdout.trim()
  const me = async (url: string, actor: string, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}`, 'holdpoint-actor': actor }
    return (await (
      await fetchFor(url)(`${url.startsWith('unix:') ? UNIX_HOST : url}/v1/me`, { headers })
    ).json()) as object
  }
  expect(await me(daemon.server, 'cleo')).toMatchObject({ name: 'cleo', role: 'admin' })
  // What an agent runs is that agent, and steers no tokens.
  expect(await me(daemon.server, 'agent%3Adefault%2Frun_1')).toMatchObject({
    name: 'agent:default/run_1',
    role: 'operator',
  })
  for (const bad of ['%20', '%', 'x'.repeat(201)])
    expect(await me(daemon.server, bad)).toMatchObject({ code: 'invalid_token' })
  const vic = (await project.holdpoint('tokens', 'add', 'vic', '--role', 'viewer')).stdout.trim()
  expect(await me(daemon.server, 'cleo', vic)).toMatchObject({ name: 'vic', role: 'viewer' })

  await using server = await aServer(project, '--no-work')
  expect(await me(server.url, 'cleo', TOKEN)).not.toMatchObject({ name: 'cleo' })
})

test('a second daemon is refused, and told where the first one listens', async () => {
  await using project = await aProject({ script, policy })
  await using daemon = await aDaemon(project)
  const refused = await project.holdpoint('daemon', '--json')
  expect(refused.exit).toBe(2)
  expect(refused.json.error).toMatchObject({ code: 'daemon_running' })
  expect(refused.json.error.message).toContain(daemon.server)
  expect((await project.holdpoint('daemon', 'status', '--json')).json.daemon).toMatchObject({ pid: daemon.pid })
})

test('of four that are started at once, one is the daemon', async () => {
  await using project = await aProject({ script, policy })
  const started = await Promise.allSettled([1, 2, 3, 4].map(() => aDaemon(project)))
  const daemons = started.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  expect(daemons).toHaveLength(1)
  const { json } = await project.holdpoint('daemon', 'status', '--json')
  expect(json.daemon.pid).toBe(daemons[0]?.pid)
  await daemons[0]?.[Symbol.asyncDispose]()
})

test('of eight commands that start the daemon in the background at once, each is told of the same one', async () => {
  await using project = await aProject({ script, policy })
  const told = await Promise.all(Array.from({ length: 8 }, () => project.holdpoint('daemon', 'start', '--json')))
  const pids = new Set(told.map(({ json }) => json.daemon?.pid))
  expect([told.map(({ exit }) => exit), pids.size]).toEqual([Array.from({ length: 8 }, () => 0), 1])
  expect((await project.holdpoint('daemon', 'stop', '--json')).json).toEqual({ stopped: true })
})

test('after a kill -9 the next one takes its place, and the stale socket goes', async () => {
  await using project = await aProject({ script, policy })
  {
    await using _killed = await aDaemon(project)
  }
  const status = await project.holdpoint('daemon', 'status')
  expect(status).toMatchObject({ exit: 1, stdout: expect.stringContaining('No daemon runs') })
  expect((await project.holdpoint('daemon', 'gc', '--dry-run', '--json')).json).toMatchObject({ daemon: true })
  await using next = await aDaemon(project)
  expect((await project.holdpoint('daemon', 'status', '--json')).json.daemon.pid).toBe(next.pid)
  expect((await project.holdpoint('daemon', 'gc', '--json')).json).toEqual({
    dry_run: false,
    presences: [],
    daemon: false,
    worktrees: [],
  })
})

test.each([['stop'], ['stop', '--drain'], ['stop', '--kill']])(
  '%s %s ends it, and its row and socket go',
  async (...words) => {
    await using project = await aProject({ script, policy })
    await using daemon = await aDaemon(project)
    expect((await project.holdpoint('daemon', ...words, '--json')).json).toEqual({ stopped: true })
    await until(() => !isAlive(daemon.pid))
    expect(() => lstatSync(daemon.socket)).toThrow('ENOENT')
    expect((await project.holdpoint('daemon', ...words, '--json')).json).toEqual({ stopped: false })
  },
)

test('an agent cannot start a daemon, nor use its socket', async () => {
  await using project = await aProject({ script, policy })
  await using daemon = await aDaemon(project)
  const within = { env: { HOLDPOINT_WITHIN: 'agent:default/run_1' } }
  expect((await project.run(['daemon', '--json'], within)).json.error).toMatchObject({
    code: 'agent_cannot_serve',
    hint: 'Have a person start `holdpoint daemon` in a terminal of their own.',
  })
  const asked = await project.run(['holds', '--json', '--server', daemon.server], within)
  expect(asked.json.error).toMatchObject({ code: 'agent_cannot_use_server' })
})

test('a prepared directory is refused by its name, and nothing in it is touched', async () => {
  await using project = await aProject({ script, policy, files: { 'run/holdpoint/mine.txt': 'mine' } })
  await pausedRun(project)
  execFileSync('chmod', ['0777', `${project.directory}/run/holdpoint`])
  const env = { XDG_RUNTIME_DIR: `${project.directory}/run` }
  const refused = await project.run(['daemon', '--json'], { env })
  expect(refused.json.error).toMatchObject({ code: 'runtime_directory_refused' })
  expect(refused.json.error.message).toContain(`${project.directory}/run/holdpoint`)
  expect(execFileSync('ls', [`${project.directory}/run/holdpoint`], { encoding: 'utf8' })).toBe('mine.txt\n')
})

test.each<readonly [string, (path: string) => void, string, RegExp]>([
  ['a file', path => writeFileSync(path, ''), '', /place is no directory/],
  ['not there', () => {}, '', /place cannot be used \(ENOENT\)/],
  ['below a file', path => writeFileSync(path, ''), 'deeper', /deeper cannot be used \(ENOTDIR\)/],
  ['changed by others', path => makeOpen(path), '', /place can be changed by other users/],
])('a daemon that cannot start names the directory that is wrong: %s', async (_what, prepare, below, why) => {
  await using project = await aProject()
  const place = join(project.directory, 'place')
  prepare(place)
  const env = { XDG_RUNTIME_DIR: join(place, below) }
  for (const words of [['daemon', 'start'], ['daemon']]) {
    const refused = await project.run([...words, '-o', 'json'], { env })
    expect(refused.exit).not.toBe(0)
    expect(refused.json.error.message).toMatch(why)
    expect(refused.json.error.hint).toContain('XDG_RUNTIME_DIR')
  }
})

function makeOpen(path: string): void {
  mkdirSync(path)
  chmodSync(path, 0o777)
}
