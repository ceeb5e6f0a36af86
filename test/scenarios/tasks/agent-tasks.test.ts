import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../open-database.ts'
import { patienceMs } from '../../patience.ts'
import { type Connected, overStdio } from '../mcp/mcp-process.ts'
import { aProject, effect, type Project } from '../project.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Document = any

/** Uses a control, as an MCP client does; a refusal is its `error`. */
async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Document> {
  const result = await client.callTool({ name, arguments: args })
  if (!result.isError) return result.structuredContent
  const [said] = result.content as { text: string }[]
  return JSON.parse(said?.text ?? '')
}

const POLICY = {
  rules: [
    { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' },
    { tool: 'write_file', match: { path: 'below/secrets/*' }, policy: 'never' },
    { tool: 'write_file', match: { path: 'below/key' }, policy: 'auto' },
  ],
  on_never: 'reject',
  tools: { run_command: 'prompt', list_files: 'auto', subagent_task: 'auto' },
}

const CHILD = [
  { text: 'I am about to apply.', calls: [effect('c1', 'applied'), { id: 'c2', name: 'list_files', args: {} }] },
  { text: 'Child done.' },
]

describe('a sub-agent that an MCP client started', () => {
  let project: Project
  let connected: Connected
  let client: Client

  beforeAll(async () => {
    project = await aProject({ script: CHILD, policy: POLICY })
    connected = await overStdio(project, 'latest')
    client = connected.client
  })

  afterAll(async () => {
    await connected[Symbol.asyncDispose]()
    await project[Symbol.asyncDispose]()
  })

  async function paused(args: Record<string, unknown> = {}): Promise<Document> {
    const { task_id } = await use(client, 'subagent_task', { prompt: 'apply', ...args })
    const { tasks } = await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    expect(tasks).toMatchObject([{ task_id, status: 'paused' }])
    return use(client, 'get_task_details', { task_id })
  }

  test('is refused what does not fit its pause, and is left as it was', async () => {
    const { task_id, ...before } = await paused()
    const yes = { tool_call_id: 'c1', approved: true }
    const table: [args: Record<string, unknown>, code: string][] = [
      [{ tool_decisions: [yes], prompt: 'go' }, 'decisions_with_text'],
      [{}, 'nothing_said'],
      [{ tool_decisions: [] }, 'nothing_said'],
      [{ prompt: ' ' }, 'empty_answer'],
      [{ prompt: 'go' }, 'calls_pending'],
      [{ tool_decisions: [{ ...yes, tool_call_id: '$(touch pwned)' }] }, 'unknown_id'],
      [{ tool_decisions: [yes, { ...yes, approved: false }] }, 'decided_both_ways'],
      [{ tool_decisions: [{ ...yes, approved: false, arguments: {} }] }, 'invalid_arguments'],
      [{ tool_decisions: [{ ...yes, arguments: { nonsense: 1 } }] }, 'invalid_arguments'],
      [{ tool_decisions: [yes], checkpoint_id: 'cp_of_another_pause' }, 'superseded'],
    ]
    for (const [args, code] of table)
      expect.soft(await use(client, 'resume_task', { task_id, ...args }), code).toMatchObject({ error: { code } })
    expect(await use(client, 'resume_task', { task_id: '`id`', prompt: 'x' })).toMatchObject({
      error: { code: 'unknown_task' },
    })
    expect(await use(client, 'get_task_details', { task_id })).toEqual({ task_id, ...before })
    expect(project.exists('pwned')).toBe(false)
  })

  test('goes on with the tools, policy, model, directory and limits that it was started with', async () => {
    await project.write('below/note.txt', 'here')
    const limits = { max_steps: 2, workdir: 'below', tools: ['run_command', 'list_files'], instructions: 'Be brief.' }
    const { task_id, run_id, pause } = await paused(limits)
    const before = (await project.holdpoint('show', run_id, '--json')).json.profile
    const decisions = [{ tool_call_id: 'c1', approved: true, reason: 'fine' }]
    const resumed = { task_id, tool_decisions: decisions, checkpoint_id: pause.checkpoint_id }
    expect(await use(client, 'resume_task', resumed)).toMatchObject({ task_id, invocations: 2 })
    expect(await use(client, 'wait_for_tasks', { task_ids: [task_id] })).toMatchObject({
      timed_out: false,
      tasks: [{ status: 'completed', exit_code: 0 }],
    })
    expect((await project.holdpoint('show', run_id, '--json')).json.profile).toEqual(before)
    expect(before).toMatchObject({ tools: limits.tools, workdir: project.path('below'), instructions: 'Be brief.' })
    expect(await project.read('below/effects.log')).toBe('applied\n')
    expect(await use(client, 'resume_task', resumed)).toMatchObject({ error: { code: 'not_paused' } })
  })

  test('never gets a tool, a directory or more steps than its parent', async () => {
    const start = (args: Record<string, unknown>) => use(client, 'subagent_task', { prompt: 'x', ...args })
    expect(await start({ tools: ['list_files', 'format_disk'] })).toMatchObject({
      error: { code: 'tools_beyond_parent' },
    })
    expect(await start({ workdir: '..' })).toMatchObject({ error: { code: 'outside_workdir' } })
    expect(await start({ workdir: 'below\0' })).toMatchObject({ error: { code: 'no_workdir' } })
    const outside = await start({ model: 'script:/etc/passwd' })
    expect(outside).toMatchObject({ error: { code: 'outside_workdir' } })
    expect(JSON.stringify(outside)).not.toContain('root:')
    expect(await start({ model: 'script:missing.yaml' })).toMatchObject({ error: { code: expect.any(String) } })
    expect(await start({ tools: ['list_files'], max_steps: 0 })).toMatchObject({ error: { code: 'invalid_arguments' } })
  })

  test('P1: means by the paths of its policy what they mean for its parent, wherever it works', async () => {
    await project.write('below/secrets/note.txt', 'here')
    await project.write(
      'writer.json',
      JSON.stringify([{ calls: [{ id: 'w1', name: 'write_file', args: { path: 'key', content: 'x' } }] }, 'Done.']),
    )
    const start = { prompt: 'write', model: 'script:writer.json', tools: ['write_file'] }
    for (const workdir of ['below/secrets', 'below']) {
      const { task_id } = await use(client, 'subagent_task', { ...start, workdir })
      await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    }
    expect(project.exists('below/secrets/key')).toBe(false)
    expect(await project.read('below/key')).toBe('x')
  })

  test('P1: no command is started that policy says never to, or that only a person may let run', async () => {
    const start = (args: Record<string, unknown>) => use(client, 'run_command_task', args)
    for (const args of [{ command: 'true; /bin/rm -r x' }, { argv: ['sudo', 'rm', 'x'] }])
      expect(await start(args)).toMatchObject({ error: { code: 'forbidden' } })
    for (const command of ['echo {} > .holdpoint/policy.json', 'holdpoint approve hold_0'])
      expect(await start({ command })).toMatchObject({ error: { code: 'needs_person' } })
    expect(await start({ command: 'true', argv: ['true'] })).toMatchObject({ error: { code: 'invalid_arguments' } })
  })

  test('may have any fraction of a second as its time, as a command may', async () => {
    const timeout_seconds = 60.0004
    const started = [
      await use(client, 'subagent_task', { prompt: 'x', timeout_seconds }),
      await use(client, 'run_command_task', { argv: ['true'], timeout_seconds }),
    ]
    for (const { task_id } of started)
      expect(await use(client, 'get_task_details', { task_id })).toMatchObject({ timeout_seconds: 60 })
  })

  test('is refused with hints that name tools and arguments of tools, and no flag of the command line', async () => {
    const { task_id } = await paused()
    const hints = [
      ['get_task_details', { task_id: 'task_none' }, 'get_all_tasks'],
      ['resume_task', { task_id, prompt: 'yes' }, 'tool_decisions'],
      ['subagent_task', { prompt: 'go', workdir: 'nowhere' }, 'workdir'],
      ['decide_hold', { hold_id: 'hold_none', verdict: 'approve' }, 'list_holds'],
    ] as const
    for (const [name, args, said] of hints) {
      const { error } = await use(client, name, args)
      expect(error.hint).toContain(said)
      expect(error.hint).not.toMatch(/`holdpoint| --[a-z]/)
    }
    await use(client, 'cancel_task', { task_id })
  })

  test('P3: leaves no run behind that a worker would go on with, if its task cannot be kept', async () => {
    const runs = async () =>
      (await project.holdpoint('runs', '--json')).json.map(({ run_id }: { run_id: string }) => run_id)
    const before = await runs()
    const database = openDatabase(project.path('.holdpoint/holdpoint.db'))
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON tasks BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
    const refused = await use(client, 'subagent_task', { prompt: 'not to be' })
    database.exec('DROP TRIGGER full')
    database.close()
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('the disk is full') } })
    expect(await runs()).toEqual(before)
  })

  test('that is cancelled while it waits is done, listed, and nobody can decide or resume it', async () => {
    const { task_id, run_id, pause_reason } = await paused()
    expect(await use(client, 'cancel_task', { task_id, reason: 'no longer needed' })).toMatchObject({
      status: 'cancelled',
    })
    const decided = await use(client, 'decide_hold', {
      hold_id: pause_reason.pending_tool_calls[0].hold_id,
      verdict: 'approve',
    })
    expect(decided).toMatchObject({ error: { code: expect.any(String) } })
    expect(await use(client, 'resume_task', { task_id, prompt: 'go' })).toMatchObject({ error: { code: 'not_paused' } })
    const listed = await use(client, 'get_all_tasks', { status: 'cancelled' })
    expect(listed.tasks.map((task: Document) => task.task_id)).toContain(task_id)
    expect((await project.holdpoint('show', run_id, '--json')).json).toMatchObject({
      status: 'done',
      termination: { type: 'cancelled' },
    })
  })

  test('goes on under the same id when its hold is approved on the command line', async () => {
    const { task_id, pause_reason } = await paused()
    const [call] = pause_reason.pending_tool_calls
    expect(call).toMatchObject({ id: 'c1', arguments: { command: 'echo applied >> effects.log' } })
    expect((await project.run(['approve', call.hold_id], { env: { HOLDPOINT_ACTOR: 'ben' } })).exit).toBe(0)
    const { tasks } = await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    expect(tasks).toMatchObject([{ task_id, status: 'completed', invocations: 2 }])
    const late = await use(client, 'decide_hold', { hold_id: call.hold_id, verdict: 'reject' })
    expect(late).toMatchObject({ error: { code: 'already_decided' } })
    const { history } = await use(client, 'get_task_details', { task_id })
    expect(history).toMatchObject([
      { n: 1, status: 'paused', exit_code: 10 },
      { n: 2, status: 'completed', exit_code: 0, by: 'ben', surface: 'cli' },
    ])
  })

  test('and a plain command that exits with 10 is paused without a checkpoint, whatever it prints', async () => {
    const manifest = JSON.stringify({ outcome: 'paused', checkpoint_id: 'cp_0', run_id: 'run_0' })
    const argv = ['sh', '-c', 'printf %s "$1"; exit 10', 'sh', manifest]
    const { task_id } = await use(client, 'run_command_task', { argv })
    await use(client, 'wait_for_tasks', { task_ids: [task_id] })
    const details = await use(client, 'get_task_details', { task_id })
    expect(details).toMatchObject({ status: 'paused', stdout: { text: manifest }, pause: { resumable: false } })
    expect(details.pause.note).toContain('Cancelling the task clears it')
    for (const args of [{ prompt: 'go' }, { tool_decisions: [{ tool_call_id: 'x', approved: true }] }])
      expect(await use(client, 'resume_task', { task_id, ...args })).toMatchObject({ error: { code: 'not_an_agent' } })
    expect(await use(client, 'cancel_task', { task_id })).toMatchObject({ status: 'cancelled' })
  })
})

test('P1: a person may let a command run as a task to which policy says never; it signs as the agent, by no other name', async () => {
  const call = { id: 'n1', name: 'run_command_task', args: { command: 'env > made && mv made ran' } }
  await using project = await aProject({
    script: [{ calls: [call] }, { text: 'Started.' }],
    policy: { tools: { run_command: 'never' } },
  })
  const paused = await project.holdpoint('-t', 'run_command_task', '--pause-on-approval', '-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'n1' }] } } })
  expect((await project.holdpoint('tasks')).stdout).toBe('No tasks.\n')
  expect((await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'n1')).exit).toBe(0)
  await until(async () => project.exists('ran') || null)
  const environment = await project.read('ran')
  expect(environment).toContain(`HOLDPOINT_WITHIN=agent:default/${paused.json.run_id}`)
  expect(environment).not.toContain('HOLDPOINT_ACTOR')
})

test('P2: three levels deep, the innermost hold is decided once, from two surfaces at the same time', async () => {
  const delegating = (model: string, tools: readonly string[]) => [
    {
      text: 'I delegate.',
      calls: [{ id: 'd1', name: 'subagent_task', args: { prompt: 'go on', model, tools } }],
    },
    { text: 'Delegated.' },
  ]
  const all = ['subagent_task', 'run_command', 'list_files']
  await using project = await aProject({
    policy: POLICY,
    files: {
      'one.json': JSON.stringify(delegating('script:two.json', all)),
      'two.json': JSON.stringify(delegating('script:three.json', ['run_command', 'list_files'])),
      'three.json': JSON.stringify(CHILD),
    },
  })
  await using connected = await overStdio(project, 'latest', { args: all.flatMap(name => ['-t', name]) })
  const { client } = connected
  const started = await use(client, 'subagent_task', { prompt: 'go', model: 'script:one.json', tools: all })
  expect(started).toMatchObject({ status: 'pending' })
  const [hold] = await until(async () => {
    const { holds } = await use(client, 'list_holds', {})
    return holds.length > 0 ? holds : null
  })
  expect(hold.path).toHaveLength(3)
  expect(hold.path[0].run_id).toBe(started.run_id)
  const { tasks } = await use(client, 'get_all_tasks', {})
  expect(tasks).toHaveLength(3)

  const [overMcp, onCommandLine] = await Promise.all([
    use(client, 'decide_hold', { hold_id: hold.id, verdict: 'approve' }),
    project.run(['reject', hold.id], { env: { HOLDPOINT_ACTOR: 'ben' } }),
  ])
  const approved = overMcp.outcome === 'recorded'
  expect(onCommandLine.exit).toBe(approved ? 2 : 0)
  if (!approved) expect(overMcp).toMatchObject({ error: { code: 'already_decided' } })
  const waited = await use(client, 'wait_for_tasks', {
    task_ids: tasks.map((task: Document) => task.task_id),
    until: 'all',
  })
  expect(waited.tasks.map((task: Document) => task.status)).toEqual(['completed', 'completed', 'completed'])
  expect(await project.effects()).toEqual(approved ? ['applied'] : [])
})

test('a task that is cancelled takes with it all that its agent started', async () => {
  const call = (id: string, name: string, args: unknown) => ({ id, name, args })
  const names = ['subagent_task', 'run_command_task', 'run_command', 'list_files']
  const child = { prompt: 'go on', model: 'script:two.json', tools: ['subagent_task', 'run_command', 'list_files'] }
  const grandchild = { prompt: 'go on', model: 'script:three.json', tools: ['run_command', 'list_files'] }
  await using project = await aProject({
    policy: { ...POLICY, tools: { ...POLICY.tools, run_command_task: 'auto' } },
    files: {
      'one.json': JSON.stringify([
        { calls: [call('o1', 'subagent_task', child), call('o2', 'run_command_task', { command: 'sleep 60' })] },
        { calls: [effect('o3', 'applied')] },
      ]),
      'two.json': JSON.stringify([{ calls: [call('t1', 'subagent_task', grandchild)] }, 'Delegated.']),
      'three.json': JSON.stringify(CHILD),
    },
  })
  await using connected = await overStdio(project, 'latest', { args: names.flatMap(name => ['-t', name]) })
  const { client } = connected
  const { task_id } = await use(client, 'subagent_task', { prompt: 'go', model: 'script:one.json', tools: names })
  const other = await use(client, 'run_command_task', { command: 'sleep 60' })
  await until(async () => {
    const { holds } = await use(client, 'list_holds', {})
    return holds.length === 2 ? holds : null
  })
  expect(await use(client, 'cancel_task', { task_id })).toMatchObject({ status: 'cancelled' })
  const { tasks } = await use(client, 'get_all_tasks', {})
  const statuses = tasks.map(({ title, status }: Document) => `${title} ${status}`)
  expect(statuses.toSorted()).toEqual([
    'go cancelled',
    'go on cancelled',
    'go on completed',
    'sleep 60 cancelled',
    'sleep 60 running',
  ])
  expect((await use(client, 'list_holds', {})).holds).toEqual([])
  expect(await use(client, 'cancel_task', { task_id: other.task_id })).toMatchObject({ status: 'cancelled' })
})

test('agents that start agents come to an end', async () => {
  const again = { prompt: 'again', tools: ['subagent_task'] }
  const script = [{ calls: [{ id: 'r1', name: 'subagent_task', args: again }] }, 'Started.']
  await using project = await aProject({ script, policy: POLICY })
  await using connected = await overStdio(project, 'latest', { args: ['-t', 'subagent_task'] })
  const { client } = connected
  await use(client, 'subagent_task', again)
  const last = await until(async () => {
    const { tasks } = await use(client, 'get_all_tasks', {})
    const over = tasks.every(({ status }: Document) => status === 'completed')
    return over && tasks.length === 8 ? tasks[0] : null
  })
  const said = JSON.stringify(await project.messages(last.session_id))
  expect(said).toContain('TOO_DEEP')
  expect((await use(client, 'get_all_tasks', {})).tasks).toHaveLength(8)
})

test('an agent supervises its child: it may say more to it and stop it, but not approve for it', async () => {
  const call = (id: string, name: string, args: unknown) => ({ id, name, args })
  const names = ['subagent_task', 'wait_for_tasks', 'resume_task', 'get_task_details', 'run_command', 'list_files']
  // The task's id is known once it was started, so the parent is told in turns of its own.
  const parentTurns = (taskId: string) => [
    {
      text: 'Start.',
      calls: [
        call('p1', 'subagent_task', {
          prompt: 'talk',
          model: 'script:talker.json',
          tools: ['run_command'],
          pause_on: ['input'],
        }),
      ],
    },
    { text: 'Started.' },
    { text: 'Wait.', calls: [call('p2', 'wait_for_tasks', { task_ids: [taskId] })] },
    { text: 'Say more.', calls: [call('p3', 'resume_task', { task_id: taskId, prompt: 'go on' })] },
    { text: 'Wait again.', calls: [call('p4', 'wait_for_tasks', { task_ids: [taskId] })] },
    {
      text: 'Approve.',
      calls: [call('p5', 'resume_task', { task_id: taskId, tool_decisions: [{ tool_call_id: 'c1', approved: true }] })],
    },
    { text: 'Done.' },
  ]
  await using project = await aProject({
    policy: { default: 'auto', tools: { run_command: 'prompt' } },
    files: {
      'parent.json': JSON.stringify(parentTurns('?')),
      'talker.json': JSON.stringify([{ text: 'What next?' }, { text: 'Then this.', calls: [effect('c1', 'said')] }]),
    },
  })
  const tools = names.flatMap(name => ['-t', name])
  const first = await project.holdpoint('--model', 'script:parent.json', ...tools, '-o', 'json', 'supervise')
  const [task] = (await project.holdpoint('tasks', '--json')).json
  await project.write('parent.json', JSON.stringify(parentTurns(task.task_id)))
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '-o', 'json', 'go on')
  expect(second.json).toMatchObject({ outcome: 'completed', final_message: 'Done.' })
  const results = (await project.messages(second.json.session_id)).filter(({ role }) => role === 'tool')
  const [, waited, resumed, again, approved] = results.map(({ content }) => JSON.stringify(content))
  expect(waited).toContain('paused')
  expect(resumed).toContain(task.task_id)
  expect(again).toContain('paused')
  expect(approved).toContain('OWN_HOLD')
  expect(await project.effects()).toEqual([])
  expect((await project.holdpoint('holds')).stdout).toContain('default > default')
  expect((await project.holdpoint('tasks', 'resume', task.task_id, '--approve', 'c1')).exit).toBe(0)
  expect((await project.holdpoint('tasks', 'wait', task.task_id)).exit).toBe(0)
  expect(await project.effects()).toEqual(['said'])
})

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + patienceMs()
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (Date.now() > deadline) throw new TypeError('it did not happen in time')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('an agent that leaves a server in the background is told that it ended, and of tasks if it has them', async () => {
  const start = { id: 'tc_1', name: 'run_command', args: { command: 'sleep 600 >/dev/null 2>&1 & echo up' } }
  await using project = await aProject({ script: [{ calls: [start] }, 'Done.'] })
  const told = async (...tools: string[]) => {
    const { json } = await project.holdpoint(...tools.flatMap(name => ['-t', name]), '-o', 'json', 'go on')
    const [result] = (await project.messages(json.session_id)).filter(({ role }) => role === 'tool')
    return result.content.background
  }
  const ended = 'What it left running in the background was ended with the command'
  expect(await told('run_command')).toBe(`${ended}.`)
  expect(await told('run_command', 'run_command_task')).toBe(`${ended}; use run_command_task for what must go on.`)
})
