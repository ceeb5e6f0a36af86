/** Hosts that share a store in PostgreSQL: real processes of the built command line, each host with its name and directory. */
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { openTestDatabase } from '../../postgres/database.ts'
import { agentNamed, agents, type Document, endAgents, until } from '../agents/agents.ts'
import { killIfThere } from '../processes.ts'
import { aProject, command, effect, ended, type Project } from '../project.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`hosts that share a store (${database.missing})`, () => {})
else describe('hosts that share a store', () => sharing(database.url))

/** Longer than a host counts as there without a sign of life. */
const GONE_MS = 45_000

function sharing(url: string): void {
  let schemas = 0
  const one = [{ text: 'About to.', calls: [effect('t1', 'one')] }, 'Done.']

  /** Two hosts, and an end to all that was started on them. */
  async function twoHosts(
    script: readonly unknown[] = one,
    policy: unknown = { tools: { run_command: 'prompt' } },
  ): Promise<{ a: Project; b: Project; url: string }> {
    const store = `${url}?schema=hosts_${++schemas}`
    const host = async (name: string) => {
      const env = { HOLDPOINT_STORE: store, HOLDPOINT_HOST: name }
      const project = await aProject({ script, env, policy })
      onTestFinished(async () => project[Symbol.asyncDispose]())
      return project
    }
    const hosts = { a: await host('a'), b: await host('b'), url: store }
    onTestFinished(async () => {
      for (const project of [hosts.a, hosts.b]) {
        await endAgents(project)
        await project.holdpoint('daemon', 'stop', '--kill')
      }
    })
    return hosts
  }

  const spawned = async (project: Project, ...more: string[]): Promise<Document> => {
    const started = await agents(project, 'spawn', '--name', 'docs', ...more, '--json', 'go')
    expect(started, started.stderr).toMatchObject({ exit: 0, json: { host: 'a' } })
    return started.json
  }

  const daemonOf = async (project: Project): Promise<number> =>
    (await project.holdpoint('daemon', 'status', '--json')).json.daemon.pid

  test('an agent of one host is listed, shown, approved and waited for on another, and goes on at home', async () => {
    const { a, b } = await twoHosts()
    const { id } = await spawned(a)
    await until(b, 'docs', 'waiting')
    expect((await agents(b, '--json')).json).toMatchObject([{ id, host: 'a', status: 'waiting' }])
    for (const list of ['agents', 'tasks']) expect((await b.holdpoint(list)).stdout).toMatch(/HOST.*\n.* a {2}/)
    expect((await b.holdpoint('tasks', '--json')).json).toMatchObject([{ task_id: id, host: 'a', status: 'paused' }])
    expect((await b.holdpoint('tasks', 'show', id, '--json')).json).toMatchObject({ host: 'a', workdir: a.directory })
    expect(await b.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await b.holdpoint('tasks', 'wait', id, '--timeout', '20')).toMatchObject({ exit: 0 })
    expect([await a.effects(), await b.effects()]).toEqual([['one'], []])
    const { json: task } = await b.holdpoint('tasks', 'show', id, '--json')
    expect(task).toMatchObject({ status: 'completed', invocations: 2, history: [{ by: 'ana' }, { surface: 'daemon' }] })
    expect(await b.holdpoint('daemon', 'status')).toMatchObject({ exit: 1 })
  })

  test('a message from another host goes on with an agent that is done, and with one that stays', async () => {
    const { a, b } = await twoHosts(['One.', 'Two.', 'Three.'])
    await spawned(a)
    await until(b, 'docs', 'done')
    expect(await agents(b, 'send', 'docs', 'more', '--json')).toMatchObject({ exit: 0, json: { outcome: 'started' } })
    await expect.poll(async () => (await agentNamed(b, 'docs')).last_message?.line).toBe('Two.')
    expect(await until(b, 'docs', 'done')).toMatchObject({ task: { invocations: 2 } })

    await agents(a, 'spawn', '--name', 'talk', '--interactive', '--json', 'go')
    await until(b, 'talk', 'idle')
    expect(await agents(b, 'send', 'talk', 'more', '--json')).toMatchObject({ exit: 0 })
    await expect.poll(async () => (await agentNamed(b, 'talk')).last_message?.line).toBe('Two.')
    expect(await agentNamed(b, 'talk')).toMatchObject({ task: { invocations: 1 } })
  })

  test('another host kills an agent by a wish that its own host carries out', async () => {
    const { a, b } = await twoHosts(['One.'])
    await spawned(a, '--interactive')
    await until(b, 'docs', 'idle')
    const running = processOf(await agentNamed(b, 'docs'))
    expect(isThere(running)).toBe(true)
    expect(await agents(b, 'kill', 'docs', '--json')).toMatchObject({ exit: 0, json: { status: 'killed' } })
    await expect.poll(() => isThere(running)).toBe(false)
    expect(await agentNamed(a, 'docs')).toMatchObject({ status: 'killed' })
  })

  test('a host takes no task of another for lost: it is crashed once its own host has looked', async () => {
    const { a, b } = await twoHosts([{ calls: [command('t1', 'sleep 60')] }, 'Done.'], { default: 'auto' })
    await spawned(a)
    await expect.poll(async () => (await agentNamed(b, 'docs')).task.history[0].process).not.toBeNull()
    const { task } = await until(b, 'docs', 'running')
    process.kill(await daemonOf(a), 'SIGKILL')
    const { process: agent, supervisor } = task.history[0]
    for (const name of [supervisor, agent]) killIfThere(Number(name.split(':')[1]))
    for (let look = 0; look < 3; look++) {
      expect(await b.holdpoint('tasks', '--json')).toMatchObject({ json: [{ status: 'running', error: null }] })
      expect(await agents(b, '--json')).toMatchObject({ json: [{ status: 'running' }] })
    }
    expect(await a.holdpoint('daemon', 'start')).toMatchObject({ exit: 0 })
    expect(await until(b, 'docs', 'crashed')).toMatchObject({ task: { error: { code: 'supervisor_lost' } } })
    expect(await agents(b, 'resume', 'docs', '--json')).toMatchObject({ exit: 0 })
    expect(await until(b, 'docs', 'waiting')).toMatchObject({ host: 'a', task: { invocations: 2 } })
    expect(task.task_id).toBe((await agentNamed(a, 'docs')).id)
  })

  test('agents of a host whose daemon is gone are out of reach, until it is there again', {
    timeout: 6 * patienceMs(),
  }, async () => {
    const { a, b } = await twoHosts(['One.', 'Two.'])
    const { id } = await spawned(a, '--interactive')
    await until(b, 'docs', 'idle')
    await a.write('ask.json', JSON.stringify(one))
    const ask = await agents(a, 'spawn', '--name', 'ask', '--model', 'script:ask.json', '--json', 'go')
    expect(ask, ask.stderr).toMatchObject({ exit: 0 })
    await until(b, 'ask', 'waiting')
    process.kill(await daemonOf(a), 'SIGKILL')
    const standing = async () => (await agentNamed(b, 'docs')).status
    await expect.poll(standing, { timeout: GONE_MS, interval: 500 }).toBe('unreachable')
    expect(await agentNamed(b, 'docs')).toMatchObject({ because: expect.stringContaining('its host a is gone') })
    const { json: tasks } = await b.holdpoint('tasks', '--json')
    expect(tasks).toMatchObject([{}, { task_id: id, status: 'paused', error: null }])
    const waiting = await agentNamed(b, 'ask')
    expect(waiting).toMatchObject({ status: 'waiting', because: expect.stringContaining('its host a is gone') })
    expect(await b.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await agentNamed(b, 'ask')).toMatchObject({ status: 'unreachable' })
    expect(await a.effects()).toEqual([])

    expect(await a.holdpoint('daemon', 'start')).toMatchObject({ exit: 0 })
    expect(await until(b, 'docs', 'idle')).toMatchObject({ task: { invocations: 1 } })
    expect(await until(b, 'ask', 'done')).toMatchObject({ task: { invocations: 2 } })
    expect([await a.effects(), await b.effects()]).toEqual([['one'], []])
  })

  test('output is told of by its host and path, and read over the server of that host', async () => {
    const { a, b } = await twoHosts()
    const { id } = await spawned(a)
    await until(b, 'docs', 'waiting')
    const refused = await b.holdpoint('tasks', 'logs', id, '--json')
    const where = expect.stringMatching(`on the host a, in ${a.directory}/.*/a/tasks/${id}/1\\.$`)
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'on_another_host', message: where } } })
    const attach = await agents(b, 'attach', 'docs', '--json')
    const process = expect.stringContaining(`on the host a, in ${a.directory}`)
    expect(attach).toMatchObject({ exit: 2, json: { error: { code: 'on_another_host', message: process } } })
    expect(await agents(b, 'logs', 'docs')).toMatchObject({ exit: 0, stdout: expect.stringContaining('About to.') })

    const port = await freePort()
    const loopback = await a.holdpoint('serve', '--port', '0', '--address', `http://127.0.0.1:${port}`)
    expect(loopback).toMatchObject({ exit: 2, stderr: expect.stringContaining('each host reaches itself') })
    const address = `http://${hostname()}:${port}`
    const token = (await a.holdpoint('tokens', 'add', 'ana-at-b', '--role', 'admin')).stdout.trim()
    const server = await serving(a, address, String(port))
    const named = await b.holdpoint('tasks', 'logs', id, '--json')
    expect(named).toMatchObject({ exit: 2, json: { error: { hint: expect.stringContaining(address) } } })
    const env = { HOLDPOINT_TOKEN: token, HOLDPOINT_PLAIN_HTTP_TO: hostname() }
    const read = await b.run(['tasks', 'logs', id, '--json'], { env })
    expect(read, read.stderr).toMatchObject({ exit: 0, json: { task_id: id, stdout: { missing: 0 } } })
    expect(read.json.stdout).toEqual((await a.holdpoint('tasks', 'logs', id, '--json')).json.stdout)
    expect(read.json.stdout.text).toContain('"outcome"')
    const attaching = b.start(['agents', 'attach', 'docs', '--read-only'], { env })
    const attached = ended(attaching)
    await new Promise(resolve => attaching.stdout?.once('data', resolve))
    expect(await b.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    expect(await attached).toMatchObject({ exit: 0, stdout: expect.stringContaining('Done.') })
    server.kill('SIGKILL')
    await ended(server)
    const unreached = await b.run(['tasks', 'logs', id, '--json'], { env })
    const hint = expect.stringContaining(address)
    expect(unreached).toMatchObject({ exit: 2, json: { error: { code: 'on_another_host', message: where, hint } } })
  })

  test('each host has its own daemon and its own turns, and sweeps only what is its own', async () => {
    const { a, b } = await twoHosts(['One.'])
    for (const host of [a, b]) await host.write('.holdpoint/config.json', JSON.stringify({ max_concurrent: 1 }))
    const start = (host: Project, name: string) =>
      agents(host, 'spawn', '--name', name, '--interactive', '--json', 'go')
    for (const [host, name] of [[a, 'a1'] as const, [b, 'b1'] as const]) {
      expect(await start(host, name)).toMatchObject({ exit: 0 })
      await until(host, name, 'idle')
    }
    expect(await start(a, 'a2')).toMatchObject({ exit: 0 })
    expect(await until(b, 'a2', 'idle')).toMatchObject({ host: 'a' })
    expect(await agentNamed(b, 'a1')).toMatchObject({ status: 'parked', host: 'a' })
    expect(await agentNamed(a, 'b1')).toMatchObject({ status: 'idle', host: 'b' })
    expect(await daemonOf(a)).not.toBe(await daemonOf(b))
    expect((await agents(b)).stdout).toMatch(/^AGENT +NAME +STATUS +OF +HOST /)
    expect((await b.holdpoint('tasks')).stdout).toMatch(/^TASK +STATUS +HOST /)
    const { presences } = (await b.holdpoint('daemon', 'gc', '--json')).json
    expect(presences).toEqual([])
    expect(await agents(b, 'kill', 'a2')).toMatchObject({ exit: 0 })
    expect(await until(b, 'a2', 'killed')).toMatchObject({ host: 'a' })
    expect(await agentNamed(a, 'b1')).toMatchObject({ status: 'idle', host: 'b' })
  })

  test('a worker leaves the agents of another host alone', async () => {
    const { a, b } = await twoHosts()
    await spawned(a, '--no-daemon')
    await until(b, 'docs', 'waiting')
    expect(await b.holdpoint('approve', 't1')).toMatchObject({ exit: 0 })
    const worked = await b.holdpoint('work', '--once')
    expect(worked.exit, worked.stderr).toBe(0)
    expect(worked.stderr).not.toContain('no file')
    expect([await a.effects(), await b.effects()]).toEqual([[], []])
    expect(await a.holdpoint('work', '--once')).toMatchObject({ exit: 0 })
    expect([await a.effects(), await b.effects()]).toEqual([['one'], []])
  })
}

function processOf({ task }: Document): number {
  return Number(task.history.at(-1).process.split(':')[1])
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function serving(project: Project, address: string, port: string): Promise<ChildProcess> {
  const server = project.start(['serve', '--host', hostname(), '--behind-proxy', '--port', port, '--address', address])
  onTestFinished(() => void server.kill('SIGKILL'))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  server.stderr?.on('data', chunk => {
    said += chunk
    if (said.includes('listening on')) resolve()
  })
  server.once('close', () => reject(new Error(said)))
  await promise
  await delay(200)
  return server
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}
