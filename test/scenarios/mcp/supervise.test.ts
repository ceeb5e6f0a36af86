import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { ERAS, type Era, textOf } from './clients.ts'
import { overHttp, overStdio } from './mcp-process.ts'

const eras = Object.keys(ERAS) as Era[]
/** A client signs as itself where the server is not told for whom it runs. */
const NOBODY = { HOLDPOINT_ACTOR: '' }
const SCRIPT = [{ text: 'May I?', calls: [effect('tc_1', 'done')] }, 'All done.']
/** Ends once there is a file `go`; the key to the server is not among what it inherits. */
const UNTIL_GO = { command: 'until [ -e go ]; do sleep 0.05; done; printenv | grep MCP_TOKEN || echo went' }

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Documents = any

/** What a tool answers; it fits what the tool says of itself, because the client knows its schemas. */
async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Documents> {
  const result = await client.callTool({ name, arguments: args })
  expect(result.isError, JSON.stringify(result.content)).toBeUndefined()
  expect(textOf(result)).toEqual(result.structuredContent)
  return result.structuredContent
}

async function knowing(client: Client): Promise<Client> {
  await client.listTools()
  return client
}

test.each(eras)(
  '%s: an agent is started, waits, is decided and ends: one task, each invocation in its history',
  async era => {
    await using project = await aProject({ script: SCRIPT, env: NOBODY })
    await using server = await overStdio(project, era)
    const client = await knowing(server.client)
    const { task_id } = await use(client, 'subagent_task', { prompt: 'go' })
    const paused = await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    expect(paused).toMatchObject({ timed_out: false, tasks: [{ task_id, status: 'paused', exit_code: 10 }] })
    expect(paused.tasks[0]).toMatchObject({ agent_status: 'waiting', because: 'one hold waits for a person' })
    expect((await use(client, 'get_all_tasks', { agent_status: 'waiting' })).tasks).toMatchObject([{ task_id }])
    expect((await use(client, 'get_all_tasks', { agent_status: 'idle' })).tasks).toEqual([])
    const { pause, pause_reason } = await use(client, 'get_task_details', { task_id })
    expect(pause_reason).toMatchObject({
      type: 'tool_approval_required',
      pending_tool_calls: [
        {
          id: 'tc_1',
          name: 'run_command',
          arguments: { command: 'echo done >> effects.log' },
          requires_approval: true,
        },
      ],
    })
    expect(await project.effects()).toEqual([])
    const tool_decisions = [{ tool_call_id: 'tc_1', approved: true, reason: 'as asked' }]
    await use(client, 'resume_task', { task_id, tool_decisions, checkpoint_id: pause.checkpoint_id })
    const over = await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    expect(over).toMatchObject({ timed_out: false, tasks: [{ task_id, status: 'completed', exit_code: 0 }] })
    expect(await project.effects()).toEqual(['done'])
    const details = await use(client, 'get_task_details', { task_id })
    expect(details.history).toMatchObject([
      { n: 1, status: 'paused', by: 'mcp:tester', surface: 'mcp' },
      { n: 2, status: 'completed', by: 'mcp:tester', surface: 'mcp' },
    ])
    expect(details).toMatchObject({ result: { final_message: 'All done.' }, agent_status: 'done' })
    expect((await use(client, 'get_all_tasks')).tasks).toHaveLength(1)
    expect((await use(client, 'list_holds', { status: 'decided' })).holds).toMatchObject([
      { decision: { verdict: 'approve', reason: 'as asked', decided_by: 'mcp:tester', surface: 'mcp' } },
    ])
  },
)

test('a message that interrupts stops what a sub-agent runs, and it goes on with the message', async () => {
  const slow = { calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'touch begun; sleep 300' } }] }
  await using project = await aProject({ script: [slow, 'Stopped.'], policy: { default: 'auto' }, env: NOBODY })
  await using server = await overStdio(project, 'latest')
  const client = await knowing(server.client)
  const { task_id } = await use(client, 'subagent_task', { prompt: 'go' })
  await expect.poll(() => project.exists('begun')).toBe(true)
  const sent = await use(client, 'send_message', { task_id, text: 'stop', interrupt: true })
  expect(sent).toMatchObject({ outcome: 'queued' })
  const over = await use(client, 'wait_for_tasks', { task_ids: [task_id] })
  expect(over.tasks).toMatchObject([{ task_id, status: 'completed', agent_status: 'done' }])
  const details = await use(client, 'get_task_details', { task_id })
  expect(details.result).toMatchObject({ final_message: 'Stopped.' })
})

test('what cannot be a resume is refused with its reason, and the task stays as it is', async () => {
  await using project = await aProject({ script: SCRIPT, env: NOBODY })
  await using server = await overStdio(project, 'latest')
  const client = await knowing(server.client)
  const { task_id } = await use(client, 'subagent_task', { prompt: 'go' })
  await use(client, 'wait_for_tasks', { task_ids: [task_id] })
  const approve = { tool_call_id: 'tc_1', approved: true }
  const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
    ['decisions_with_text', { tool_decisions: [approve], prompt: 'go on' }],
    ['nothing_said', {}],
    ['nothing_said', { tool_decisions: [] }],
    ['decided_both_ways', { tool_decisions: [approve, { tool_call_id: 'tc_1', approved: false }] }],
    ['superseded', { tool_decisions: [approve], checkpoint_id: 'cp_of_another_pause' }],
    ['invalid_arguments', { tool_decisions: [{ ...approve, approve: true }] }],
    ['unknown_task', { task_id: '$(touch pwned); `x`', prompt: 'x' }],
  ]
  for (const [code, args] of wrong) {
    const refused = await client.callTool({ name: 'resume_task', arguments: { task_id, ...args } })
    expect(textOf(refused).error, code).toMatchObject({ code, hint: expect.any(String) })
  }
  const { status, history } = await use(client, 'get_task_details', { task_id })
  expect({ status, invocations: history.length }).toEqual({ status: 'paused', invocations: 1 })
  expect(await project.effects()).toEqual([])
})

test('P8: decided over MCP, known on the command line at once, and the reverse', async () => {
  await using project = await aProject({ script: SCRIPT, env: NOBODY })
  await using server = await overHttp(project)
  const [one, other] = await Promise.all([server.connect('latest', {}, 'one'), server.connect('older', {}, 'other')])
  const first = await aPausedTask(one)
  await use(one, 'decide_hold', { hold_id: first.hold_id, verdict: 'reject', reason: 'not now' })
  const shown = await project.holdpoint('show', first.hold_id, '--json')
  expect(shown.json.decision).toMatchObject({ verdict: 'reject', decided_by: 'mcp:one', surface: 'mcp' })
  const late = await other.callTool({ name: 'decide_hold', arguments: { hold_id: first.hold_id, verdict: 'approve' } })
  expect(textOf(late).error).toMatchObject({ code: 'already_decided', message: expect.stringContaining('mcp:one') })

  const second = await aPausedTask(other)
  const approved = await project.run(['approve', second.hold_id], { env: { HOLDPOINT_ACTOR: 'ana' } })
  expect(approved.exit).toBe(0)
  const over = await use(one, 'wait_for_tasks', { task_ids: [first.task_id, second.task_id], until: 'all' })
  expect(over.tasks.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed'])
  expect(await project.effects()).toEqual(['done'])
  await Promise.all([one.close(), other.close()])
})

async function aPausedTask(client: Client): Promise<{ task_id: string; hold_id: string }> {
  const { task_id } = await use(client, 'subagent_task', { prompt: 'go' })
  await use(client, 'wait_for_tasks', { task_ids: [task_id] })
  const { pause_reason } = await use(client, 'get_task_details', { task_id })
  return { task_id, hold_id: pause_reason.pending_tool_calls[0].hold_id }
}

test('a client that vanishes while it waits stops nothing, and what waits is answered before the server ends', async () => {
  await using project = await aProject({ env: NOBODY })
  await using server = await overHttp(project)
  const [older, latest, watcher] = await Promise.all([
    server.connect('older'),
    server.connect('latest'),
    server.connect('latest'),
  ])
  const { task_id } = await use(watcher, 'run_command_task', UNTIL_GO)
  const told = new Set<Client>()
  const gone = [older, latest].map(client =>
    client.callTool(
      { name: 'wait_for_tasks', arguments: { task_ids: [task_id] } },
      { onprogress: () => void told.add(client) },
    ),
  )
  await expect.poll(() => told.size).toBe(2)
  await Promise.all([older.close(), latest.close()])
  await Promise.allSettled(gone)
  const statusNow = async () => (await use(watcher, 'get_task_details', { task_id })).status
  await expect.poll(statusNow).toBe('running')

  const waits = Promise.withResolvers<void>()
  const last = watcher.callTool(
    { name: 'wait_for_tasks', arguments: { task_ids: [task_id] } },
    { onprogress: () => waits.resolve() },
  )
  await waits.promise
  server.child.kill('SIGTERM')
  expect((await last).structuredContent).toMatchObject({ timed_out: true, tasks: [{ task_id, status: 'running' }] })
  expect(await server.exit).toBe(0)

  await project.write('go', '')
  await using next = await overStdio(project, 'latest')
  const over = await use(next.client, 'wait_for_tasks', { task_ids: [task_id] })
  expect(over.tasks).toMatchObject([{ task_id, status: 'completed' }])
  expect((await use(next.client, 'get_task_details', { task_id })).stdout.text).toBe('went\n')
})

const NOISY = `console.log('this is no MCP')
export { default } from './agent.mjs'
`
const AGENT = `import { defineAgent } from 'holdpoint'
export default defineAgent({ name: 'reader', tools: ['read_file', 'list_files', 'run_command'] })
`

test('what is started stays within what the flags say, and the module of an agent disturbs nothing', async () => {
  await using project = await aProject({
    script: ['Done.'],
    files: { 'noisy.mjs': NOISY, 'agent.mjs': AGENT },
    env: NOBODY,
  })
  await using server = await overStdio(project, 'latest', { args: ['--agent', 'noisy.mjs', '-t', 'read_file'] })
  const { client } = server
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('run_command_task')
  const beyond = await client.callTool({
    name: 'subagent_task',
    arguments: { prompt: 'go', tools: ['read_file', 'run_command'] },
  })
  expect(textOf(beyond).error).toMatchObject({
    code: 'tools_beyond_parent',
    hint: expect.stringContaining('read_file'),
  })
  expect(server.stderr()).toContain('this is no MCP')
  const refused = await project.holdpoint('mcp', '--agent', 'nothing.mjs')
  expect(refused).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('nothing.mjs') })
})
