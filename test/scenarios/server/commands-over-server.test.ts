import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { until } from '../processes.ts'
import { aProject, effect, type Finished, type Project } from '../project.ts'
import { aServer, type ServerProcess, TOKEN } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

function over(server: Pick<ServerProcess, 'url'>, token: string = TOKEN): { readonly env: Record<string, string> } {
  return { env: { HOLDPOINT_SERVER: server.url, HOLDPOINT_TOKEN: token } }
}

interface Paused {
  readonly hold_id: string
  readonly run_id: string
  readonly session_id: string
  readonly checkpoint_id: string
}

async function pausedRun(project: Project): Promise<Paused> {
  const { json } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'deploy')
  const { run_id, session_id, checkpoint_id } = json
  return { run_id, session_id, checkpoint_id, hold_id: json.pause_reason.pending_tool_calls[0].hold_id }
}

/** What a command printed and how it ended, without ids, times and the surface of decisions. */
function told({ exit, stdout, stderr }: Finished): readonly [exit: number | null, stdout: string, stderr: string] {
  const plain = (text: string) =>
    text
      .replaceAll(/\b(hold|run|th|cp|task|dec)_[0-9a-z]{8,}/g, '$1_…')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\([^()]* ago\)/g, '(… ago)')
      .replaceAll(/"surface":"(cli|http)"/g, '"surface":"…"')
  return [exit, plain(stdout), plain(stderr)]
}

test('commands that look print the same over a server as on its store', async () => {
  await using project = await aProject({ script, policy })
  const [one, two] = [await pausedRun(project), await pausedRun(project)]
  await project.holdpoint('-c', one.checkpoint_id, '--approve', 'tc_1')
  await using server = await aServer(project, '--no-work')
  const commands = [
    ['holds'],
    ['holds', '--json'],
    ['holds', '--status', 'all', '--json'],
    ['holds', '--mine', '--run', two.run_id, '--json'],
    ['show', two.hold_id],
    ['show', two.hold_id.slice(0, -4), '--json'],
    ['show', two.run_id, '--json'],
    ['show', one.session_id],
    ['show', two.checkpoint_id, '--json'],
    ['runs'],
    ['runs', '--tree', '--json'],
    ['threads', 'list', '--json'],
    ['threads', 'show', one.session_id, '--human', '--json'],
    ['tasks', '--json'],
    ['audit', '--kind', 'hold.decided', '--json'],
    ['audit', 'explain', one.run_id],
    ['show', 'hold_0000000000000000', '--json'],
    ['show', 'run_0000000000000000'],
    ['holds', '--kind', 'bogus', '--json'],
  ]
  for (const command of commands) {
    const [here, there] = await Promise.all([project.run(command), project.run(command, over(server))])
    expect(told(there), command.join(' ')).toEqual(told(here))
  }
  const { stdout } = await project.run(['audit', '--kind', 'hold.shown', '--json'])
  // Each hold that was asked for, and then that all of it was printed.
  const looks = stdout.split('\n').filter(line => line.includes('"surface":"http"'))
  expect(looks.map(line => JSON.parse(line).data.in_full)).toEqual([false, true, false, true])
})

test('P2: commands that decide print the same over a server as on its store, and the token signs', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const [here, there] = [await pausedRun(project), await pausedRun(project)]
  const say = async (command: (run: Paused) => string[]) => {
    const [local, remote] = [await project.run(command(here)), await project.run(command(there), over(server))]
    expect(told(remote), command(there).join(' ')).toEqual(told(local))
    return remote
  }
  await say(({ hold_id }) => ['assign', hold_id, 'ben', '--json'])
  await say(({ hold_id }) => ['approve', hold_id, '--digest', 'sha256:0', '--json'])
  await say(({ hold_id }) => ['answer', hold_id, 'perhaps', '--json'])
  await say(({ hold_id }) => ['edit', hold_id, '--arguments', '{"command":"true"}', '--decision-id', 'click', '--json'])
  const again = await say(({ hold_id }) => [
    ...['edit', hold_id, '--arguments', '{"command":"true"}', '--decision-id', 'click', '--json'],
  ])
  expect(again.json).toMatchObject({ outcome: 'duplicate', decision: { decided_by: 'ana', surface: 'http' } })
  const late = await say(({ hold_id }) => ['reject', hold_id, '--reason', 'too late', '--json'])
  expect([late.exit, late.json.error.code]).toEqual([2, 'already_decided'])
  await say(() => ['approve', 'hold_0000000000000000', 'hold_0000000000000001', '--json'])
  await say(({ run_id }) => ['cancel', run_id, '--reason', 'no need', '--json'])
  await say(({ run_id }) => ['cancel', run_id, '--json'])
  expect(await project.effects()).toEqual([])
})

test('the name of the token counts, and its role', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const { hold_id } = await pausedRun(project)
  const secretOf = async (name: string, role: string) =>
    (await project.holdpoint('tokens', 'add', name, '--role', role)).stdout.trim()
  const [vera, ben] = [await secretOf('vera', 'viewer'), await secretOf('ben', 'decider')]
  const viewer = await project.run(['approve', hold_id, '--json'], over(server, vera))
  expect([viewer.exit, viewer.json.error.code]).toEqual([2, 'role_not_sufficient'])
  const decider = await project.run(['approve', hold_id, '--json', '--server', server.url], over(server, ben))
  expect(decider.json).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ben', surface: 'http' } })
})

test('a server that is not there, does not know the token or has another version is told of, and nothing changes', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const { hold_id } = await pausedRun(project)
  const newer = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"name":"ana","role":"admin","version":"9.1.0"}')
  }).listen(0, '127.0.0.1')
  await once(newer, 'listening')
  const newerUrl = `http://127.0.0.1:${(newer.address() as AddressInfo).port}`
  const refusalOf = async (env: Record<string, string>, ...more: string[]) => {
    const { exit, json } = await project.run(['approve', hold_id, '--json', ...more], { env })
    return [exit, json.error.code]
  }
  const HOLDPOINT_TOKEN = TOKEN
  expect(await refusalOf({ HOLDPOINT_SERVER: 'http://127.0.0.1:1', HOLDPOINT_TOKEN })).toEqual([
    2,
    'server_unreachable',
  ])
  expect(await refusalOf({ HOLDPOINT_SERVER: server.url })).toEqual([2, 'no_server_token'])
  expect(await refusalOf(over(server, 'another-token-of-no-server').env)).toEqual([2, 'token_refused'])
  expect(await refusalOf({ HOLDPOINT_SERVER: newerUrl, HOLDPOINT_TOKEN })).toEqual([2, 'version_mismatch'])
  expect(await refusalOf({ HOLDPOINT_TOKEN }, '--server', 'holds.example.com')).toEqual([2, 'invalid_arguments'])
  expect(await refusalOf({ HOLDPOINT_SERVER: 'http://holds.example.com', HOLDPOINT_TOKEN })).toEqual([
    2,
    'unsafe_address',
  ])
  expect(await refusalOf(over(server).env, '--advance')).toEqual([2, 'not_over_server'])
  expect(await refusalOf({ ...over(server).env, HOLDPOINT_WITHIN: 'deployer/run_1' })).toEqual([
    2,
    'agent_cannot_use_server',
  ])
  const verified = await project.run(['audit', 'verify', '--json'], over(server))
  expect([verified.exit, verified.json.error.code]).toEqual([2, 'not_over_server'])
  newer.close()
  const { json } = await project.holdpoint('holds', '--json')
  expect(json).toMatchObject([{ id: hold_id, status: 'open' }])
})

test.each([
  [['prune', '--older-than', '1d', '--server', 'http://127.0.0.1:1']],
  [['work', '--once', '--server=http://127.0.0.1:1']],
  [['deploy it', '--server', 'http://127.0.0.1:1']],
])('%j works on a store, and says so', async command => {
  await using project = await aProject({ script, policy })
  const { exit, stderr } = await project.run(command)
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/works on a store, and --server names a server/)])
  const inherited = await project.run(['grants'], { env: { HOLDPOINT_SERVER: 'http://127.0.0.1:1' } })
  expect([inherited.exit, inherited.stderr]).toEqual([2, expect.stringContaining('HOLDPOINT_SERVER names a server')])
})

/** How often each route was asked, from the log of the server. */
function asked({ said }: ServerProcess, route: string): number {
  return said.filter(line => line.includes('"request.answered"') && line.includes(`"route":"${route}"`)).length
}

test('holds --watch follows the changes of a server, and asks for nothing between them', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work', '--log', 'json')
  const watch = project.start(['holds', '--watch', '--json'], over(server))
  const lines: string[] = []
  if (watch.stdout) createInterface(watch.stdout).on('line', line => lines.push(line))
  const told = (change: string) => lines.some(line => line.includes(`"change":"${change}"`))
  const { hold_id } = await pausedRun(project)
  await until(() => told('opened'))
  await project.holdpoint('reject', hold_id)
  await until(() => told('closed'))
  watch.kill('SIGTERM')
  await once(watch, 'close')
  await until(() => asked(server, '/v1/changes') === 1)
  expect(asked(server, '/v1/audit/head')).toBe(1)
})

test('tasks wait waits at a server until a task rests, and ends with its exit code', async () => {
  const told = {
    id: 'told',
    name: 'run_command_task',
    args: { command: 'until [ -e go ]; do sleep 0.02; done; exit 3' },
  }
  await using project = await aProject({
    script: [{ calls: [told] }, 'Delegated.'],
    policy: { tools: { run_command_task: 'auto' } },
  })
  await project.holdpoint('-t', 'run_command_task', 'go')
  await using server = await aServer(project)
  const [{ task_id }] = (await project.run(['tasks', '--json'], over(server))).json
  const early = await project.run(['tasks', 'wait', task_id, '--timeout', '0.1', '--json'], over(server))
  expect([early.exit, early.json.timed_out]).toEqual([1, true])
  const waiting = project.run(['tasks', 'wait', task_id, '--json'], over(server))
  await project.write('go', '')
  const waited = await waiting
  expect(waited.json).toMatchObject({ timed_out: false, tasks: [{ task_id, status: 'failed', exit_code: 3 }] })
  const local = await project.holdpoint('tasks', 'wait', task_id, '--json')
  expect([waited.exit, waited.json]).toEqual([local.exit, local.json])
})

test('a shell that completes is told the ids of the server, and none without a server that answers', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const { hold_id, run_id } = await pausedRun(project)
  const offered = async (words: string[], env: Record<string, string> = over(server).env) =>
    (await project.run(['__complete', ...words], { env })).stdout.split('\n').map(line => line.split('\t')[0])
  expect(await offered(['approve', ''])).toEqual(expect.arrayContaining([hold_id, 'tc_1']))
  expect(await offered(['cancel', 'run_'])).toEqual([run_id, ''])
  expect(await offered(['show', run_id.slice(0, 8), '--server', server.url])).not.toContain(hold_id)
  expect(await offered(['approve', 'hold_'], { ...over(server).env, HOLDPOINT_SERVER: 'http://127.0.0.1:1' })).toEqual([
    '',
  ])
})
