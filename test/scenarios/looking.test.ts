import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from './project.ts'
import { wholeProject } from './whole-project.ts'

const turns = [{ text: 'About to.', calls: [effect('tc_1', 'one')], usage: { input: 3, output: 2 } }, 'Done.']
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('with a run that waits and one that is done', () => {
  let project: Project
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let waiting: any
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let done: any

  beforeAll(async () => {
    project = await aProject({ script: turns })
    done = (await project.holdpoint('-o', 'json', 'first')).json
    waiting = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'second')).json
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('runs are listed newest first, with all that is needed to go on', async () => {
    const { exit, json, stderr } = await project.holdpoint('runs', '--json')
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(json).toMatchObject([
      {
        run_id: waiting.run_id,
        session_id: waiting.session_id,
        checkpoint_id: waiting.checkpoint_id,
        status: 'waiting',
        termination: null,
      },
      {
        run_id: done.run_id,
        session_id: done.session_id,
        checkpoint_id: done.checkpoint_id,
        status: 'done',
        termination: { type: 'natural_end' },
      },
    ])
    expect(json[0].created_at).toMatch(ISO)
    expect(json[0].updated_at).toMatch(ISO)
  })

  test('runs can be listed by status, and at most so many', async () => {
    const ids = async (...args: string[]) =>
      (await project.holdpoint('runs', '--json', ...args)).json.map((run: { run_id: string }) => run.run_id)
    expect(await ids('--status', 'waiting')).toEqual([waiting.run_id])
    expect(await ids('--status', 'done')).toEqual([done.run_id])
    expect(await ids('--status', 'running')).toEqual([])
    expect(await ids('--limit', '1')).toEqual([waiting.run_id])
  })

  test('a run that was decided is listed as ready until a process works on it', async () => {
    await using own = await aProject({ script: turns })
    const { json } = await own.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const ready = async () => (await own.holdpoint('runs', '--status', 'ready', '--json')).json
    expect(await ready()).toEqual([])
    await own.holdpoint('approve', 'tc_1')
    expect(await ready()).toMatchObject([
      { run_id: json.run_id, status: 'running', standing: 'ready', advancing_by: null },
    ])
    expect((await own.holdpoint('runs', '--status', 'ready')).stdout).toMatch(/ {2}ready {2}/)
    expect((await own.holdpoint('show', json.run_id)).stdout).toContain(`${json.run_id}  ready`)
    expect((await own.holdpoint('show', json.run_id, '--json')).json).toMatchObject({ standing: 'ready' })
    expect((await own.holdpoint('threads', 'list', '--json')).json).toMatchObject([{ standing: 'ready' }])
    await own.holdpoint('work', '--once')
    expect(await ready()).toEqual([])
    const tree = await own.holdpoint('runs', '--status', 'ready', '--tree')
    expect([tree.exit, tree.stderr]).toEqual([2, expect.stringContaining('--tree')])
  })

  test('runs are a table for people', async () => {
    const { stdout } = await project.holdpoint('runs')
    const [head, first, second] = stdout.split('\n')
    expect(head).toMatch(/^RUN\s+STATUS\s+/)
    expect(first).toContain(waiting.checkpoint_id)
    expect(second).toContain('natural_end')
  })

  test('a hold is shown in full', async () => {
    const [{ hold_id, digest }] = waiting.pause_reason.pending_tool_calls
    expect((await project.holdpoint('show', hold_id, '--json')).json).toMatchObject({
      id: hold_id,
      kind: 'approval',
      status: 'open',
      run_id: waiting.run_id,
      thread_id: waiting.session_id,
      call_id: 'tc_1',
      tool: 'run_command',
      arguments: { command: 'echo one >> effects.log' },
      digest,
      message: expect.any(String),
      opened_at: expect.stringMatching(ISO),
      due_at: null,
      on_due: null,
      decision: null,
      history: [{ at: expect.stringMatching(ISO), what: 'opened' }],
      earlier_answers: [],
      at_deadline: 'never: it waits until somebody decides',
    })
  })

  test('a run is shown with its holds, its calls and its profile', async () => {
    expect((await project.holdpoint('show', waiting.run_id, '--json')).json).toMatchObject({
      run_id: waiting.run_id,
      session_id: waiting.session_id,
      checkpoint_id: waiting.checkpoint_id,
      status: 'waiting',
      agent_message: 'About to.',
      holds: [{ call_id: 'tc_1' }],
      calls: [{ id: 'tc_1', status: 'suspended' }],
      steps_taken: 1,
      usage: { total_tokens: 5 },
      profile: { agent: 'default', workdir: expect.any(String) },
    })
    expect((await project.holdpoint('show', done.run_id, '--json')).json).toMatchObject({
      status: 'done',
      termination: { type: 'natural_end' },
    })
  })

  test('a checkpoint is shown as the run stood there', async () => {
    expect((await project.holdpoint('show', waiting.checkpoint_id, '--json')).json).toMatchObject({
      checkpoint_id: waiting.checkpoint_id,
      run_id: waiting.run_id,
      status: 'waiting',
      holds: [{ call_id: 'tc_1' }],
    })
  })

  test('a session is shown as the model would get it', async () => {
    for (const command of [['threads', 'show'], ['show']]) {
      expect((await project.holdpoint(...command, done.session_id, '--json')).json).toEqual({
        session_id: done.session_id,
        system: expect.any(String),
        messages: [
          { role: 'user', content: 'first', author: 'ana' },
          {
            role: 'assistant',
            content: 'About to.',
            tool_calls: [
              { id: 'tc_1', name: 'run_command', arguments: { command: 'echo one >> effects.log' }, metadata: null },
            ],
          },
          {
            role: 'tool',
            tool_call_id: 'tc_1',
            tool_name: 'run_command',
            content: expect.objectContaining({ exit_code: 0 }),
            is_error: false,
          },
          { role: 'assistant', content: 'Done.', tool_calls: [] },
        ],
      })
    }
  })

  test('a session can be read by people', async () => {
    const { stdout } = await project.holdpoint('threads', 'show', done.session_id)
    for (const shown of [
      'user: first',
      'assistant: About to.',
      'calls run_command (tc_1)',
      'tool (tc_1)',
      'assistant: Done.',
    ]) {
      expect(stdout).toContain(shown)
    }
  })

  test('looking changes nothing', async () => {
    const before = await wholeProject(project)
    const ids = [
      waiting.run_id,
      waiting.session_id,
      waiting.checkpoint_id,
      waiting.pause_reason.pending_tool_calls[0].hold_id,
    ]
    for (const args of [['runs'], ...ids.map(id => ['show', id]), ['threads', 'show', waiting.session_id]]) {
      expect((await project.holdpoint(...args)).exit).toBe(0)
    }
    expect(await wholeProject(project)).toEqual(before)
  })

  const wrong: readonly [title: string, args: string[], code: string][] = [
    ['an unknown hold', ['show', 'hold_0000000000000000'], 'unknown_hold'],
    ['an unknown run', ['show', 'run_0000000000000000'], 'unknown_run'],
    ['an unknown session', ['show', 'th_0000000000000000'], 'unknown_session'],
    ['an unknown session among threads', ['threads', 'show', 'th_0000000000000000'], 'unknown_session'],
    ['an unknown checkpoint', ['show', 'cp_0123456789abcdef0123456789'], 'unknown_checkpoint'],
    ['what is no id', ['show', 'latest'], 'invalid_arguments'],
    ['nothing', ['show'], 'invalid_arguments'],
    ['words that mean nothing', ['threads', 'lsit'], 'unknown_command'],
    ['words after runs', ['runs', 'away'], 'invalid_arguments'],
    ['an unknown status', ['runs', '--status', 'lost'], 'invalid_arguments'],
    ['a limit of nothing', ['runs', '--limit', '0'], 'invalid_arguments'],
    ['an unknown flag', ['runs', '--al'], 'invalid_arguments'],
    ['a completion for an unknown shell', ['completion', 'powershell'], 'invalid_arguments'],
    ['a policy check of nothing', ['policy', 'check'], 'invalid_arguments'],
  ]

  test.for(wrong)('looking at %s is refused', async ([, args, code]) => {
    const refused = await project.holdpoint(...args, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error: { code } } })
  })
})

test('where nothing was run yet there is no store, and looking leaves nothing behind', async () => {
  await using project = await aProject()
  expect(await project.holdpoint('runs', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_store' } },
  })
  expect(await project.holdpoint('show', 'run_0000000000000000', '-o', 'json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_store' } },
  })
  expect(await wholeProject(project)).toEqual({ files: {}, tables: {} })
})

test('a store that is named and not there is a mistake, also for a list', async () => {
  await using project = await aProject()
  const refused = await project.holdpoint('runs', '--store', 'sqlite:elsewhere/.holdpoint/holdpoint.db', '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'no_store' } } })
})

test('P9: whatever is shown to people hides no characters', async () => {
  const command = { id: 'tc_1', name: 'run_command', args: { command: 'echo a\u202eb\u001b[2K' } }
  await using project = await aProject({ script: [{ text: 'x\u200by', calls: [command] }] })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const ids = [json.run_id, json.session_id, json.checkpoint_id, json.pause_reason.pending_tool_calls[0].hold_id]
  for (const id of ids) {
    const { stdout } = await project.holdpoint('show', id)
    expect(stdout).toContain('\\u{202e}')
    for (const hidden of ['\u202e', '\u001b', '\u200b']) expect(stdout).not.toContain(hidden)
  }
})

const rules = {
  default: 'prompt',
  tools: { read_file: 'auto', 'deploy_*': 'never' },
  rules: [
    { tool: 'run_command', match: { command: 'git status*' }, policy: 'auto' },
    { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' },
  ],
}

const CHECKS: readonly [args: string[], policy: string, rule: string][] = [
  [['git status --short'], 'auto', 'git status*'],
  [['git status > out.txt'], 'prompt', ''],
  [['sudo rm -rf /'], 'never', 'rm *'],
  [['ls'], 'prompt', 'default'],
  [['--tool', 'read_file', '--arguments', '{"path":"a.txt"}'], 'auto', 'tools.read_file'],
  [['--tool', 'write_file', '--arguments', '{"path":".holdpoint/policy.json","content":""}'], 'prompt', '.holdpoint'],
]

test.for(CHECKS)('policy check %j says %s, and which rule says so', async ([args, policy, rule]) => {
  await using project = await aProject({ policy: rules })
  const checked = await project.holdpoint('policy', 'check', ...args, '--json')
  expect(checked).toMatchObject({ exit: 0, stderr: '', json: { policy, rule: expect.stringContaining(rule) } })
  const { stdout } = await project.holdpoint('policy', 'check', ...args)
  expect(stdout.startsWith(`${policy}  (`)).toBe(true)
  expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
})

test('policy check says what a run then does', async () => {
  const commands = ['git status', 'git status | cat', 'echo hi']
  await using project = await aProject({
    script: [
      { calls: commands.map((command, index) => ({ id: `tc_${index}`, name: 'run_command', args: { command } })) },
    ],
    policy: rules,
  })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const asked = json.pause_reason.pending_tool_calls.map(
    (call: { requires_approval: boolean }) => call.requires_approval,
  )
  const said: boolean[] = []
  for (const command of commands) {
    const { policy } = (await project.holdpoint('policy', 'check', command, '--json')).json
    said.push(policy === 'prompt')
  }
  expect(said).toEqual(asked)
  expect(said).toEqual([false, true, true])
})

test('--help teaches the main job and lists every command', async () => {
  await using project = await aProject()
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { exit, stdout, stderr } = await project.holdpoint(...args)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    for (const taught of [
      '--pause-on-approval',
      '-c cp_… --approve tc_1',
      'exit 10',
      'runs',
      'threads',
      'policy',
      'completion',
      '129, 130, 143',
    ]) {
      expect(stdout).toContain(taught)
    }
  }
  expect(await wholeProject(project)).toEqual({ files: {}, tables: {} })
})

test('every command has its own help, behind it or behind `help`', async () => {
  await using project = await aProject()
  for (const command of [
    'holds',
    'runs',
    'show',
    'threads',
    'checkpoints',
    'check-pending',
    'policy',
    'demo',
    'completion',
  ]) {
    const { exit, stdout } = await project.holdpoint(command, '--help')
    expect(await project.holdpoint('help', command)).toMatchObject({ exit, stdout })
    expect(exit).toBe(0)
    expect(stdout).toMatch(new RegExp(`^holdpoint ${command}: `))
    expect(stdout).toContain('--help')
  }
})

test('--version is that of the package', async () => {
  await using project = await aProject()
  const { version } = await import(resolve(import.meta.dirname, '../../package.json'), { with: { type: 'json' } }).then(
    module => module.default,
  )
  expect(await project.holdpoint('--version')).toMatchObject({ exit: 0, stdout: `${version}\n`, stderr: '' })
})

test('the demo runs the main job with real processes and leaves the current directory alone', async () => {
  await using project = await aProject()
  await using temporary = await aProject()
  const { exit, stdout, stderr } = await project.run(['demo'], { env: { TMPDIR: temporary.directory } })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  const order = [
    '--pause-on-approval',
    'Paused',
    '[exit code 10]',
    'does not exist',
    '--approve tc_1',
    'Deployment complete.',
    '[exit code 0]',
    'effects.log: applied',
    '[exit code 2]',
    ' runs\n',
  ]
  let at = 0
  for (const shown of order) {
    const next = stdout.indexOf(shown, at)
    expect(next, `${shown} is missing or in the wrong place`).toBeGreaterThanOrEqual(at)
    at = next
  }
  // On a screen of 24 rows; the last command has the path of this machine.
  const rows = stdout
    .split('\n')
    .slice(0, -2)
    .map(line => Math.ceil(line.length / 80))
  expect(rows.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(21)
  expect(await readdir(project.directory)).toEqual([])
  const [made] = await readdir(temporary.directory)
  expect(made).toMatch(/^holdpoint-demo-/)
  expect(await temporary.read(made ?? '', 'effects.log')).toBe('applied\n')
})
