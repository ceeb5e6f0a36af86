import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProject, effect, ended, type Finished, type Project } from '../project.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Document = any

const TOOLS = ['subagent_task', 'run_command_task', 'run_command', 'list_files', 'ask_human']
const APPLY = [{ text: 'I am about to apply.', calls: [effect('c1', 'applied')] }, { text: 'Applied.' }]
const ASK = [
  {
    calls: [
      {
        id: 'q1',
        name: 'ask_human',
        args: { question: 'Which region?\u200b', choices: ['eu', 'us'], context: 'prod' },
      },
    ],
  },
  { text: 'Asked.' },
]
/** Longer than all tests before its own take. */
const SLOW = [{ text: 'Slow.', delay_ms: 3_600_000 }]
/** The files of its output are removed faster than they are found and opened. */
const FLOOD = 'while [ ! -e flood ]; do sleep 0.02; done; yes | head -c 50000000; echo the end'
const UNTIL_TOLD = 'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; echo oops >&2; exit 10'

const agent = (title: string, model: string) => ({
  ...{ id: title, name: 'subagent_task' },
  args: { title, prompt: 'go', model: `script:${model}.json`, tools: ['run_command', 'ask_human'] },
})
const command = (title: string, text: string) => ({
  id: title,
  name: 'run_command_task',
  args: { title, command: text },
})

let project: Project
/** Ids by title. */
let ids: Record<string, string>

beforeAll(async () => {
  project = await aProject({
    script: [
      {
        calls: [
          ...[agent('apply', 'apply'), agent('again', 'apply'), agent('moved', 'moved'), agent('ask', 'ask')],
          ...[agent('slow', 'slow'), command('told', UNTIL_TOLD), command('flood', FLOOD)],
          command('forever \u202e', 'while :; do echo tick; sleep 0.02; done'),
        ],
      },
      { text: 'Delegated.' },
    ],
    policy: { tools: { subagent_task: 'auto', run_command_task: 'auto', run_command: 'prompt', ask_human: 'auto' } },
    files: {
      ...Object.fromEntries(['apply', 'moved'].map(name => [`${name}.json`, JSON.stringify(APPLY)])),
      'ask.json': JSON.stringify(ASK),
      'slow.json': JSON.stringify(SLOW),
    },
  })
  expect((await project.holdpoint(...TOOLS.flatMap(name => ['-t', name]), 'go')).exit).toBe(0)
  const listed: Document[] = (await tasks('--json')).json
  ids = Object.fromEntries(listed.map(({ title, task_id }) => [title, task_id]))
  expect((await tasks('wait', id('apply'), id('again'), id('moved'), id('ask'))).exit).toBe(10)
})

afterAll(async () => {
  const left: Document[] = (await tasks('--status', 'running', '--json')).json
  for (const { task_id } of left) await tasks('cancel', task_id)
  await project[Symbol.asyncDispose]()
})

function id(title: string): string {
  return ids[title] ?? ''
}

function tasks(...args: string[]): Promise<Finished> {
  return project.holdpoint('tasks', ...args)
}

const follow = (title: string): ChildProcess => project.start(['tasks', 'logs', id(title), '--follow'])

/** Resolves once it said so on stdout. */
async function said(child: ChildProcess, text: string): Promise<void> {
  let all = ''
  const { promise, resolve } = Promise.withResolvers<void>()
  child.stdout?.on('data', chunk => {
    all += chunk
    if (all.includes(text)) resolve()
  })
  await promise
}

test('the list and the details of a task hide nothing, and say how to go on', async () => {
  const list = await tasks()
  expect(list.stdout).toMatch(/^TASK +STATUS +KIND +INVOCATIONS +UPDATED +TITLE\n/)
  expect(list.stdout).toContain('forever \\u{202e}')
  const page = await tasks('--limit', '2')
  expect([page.stdout.split('\n').length, page.stderr]).toEqual([4, expect.stringMatching(/--limit=2 --after task_/)])
  const ask = (await tasks('show', id('ask'))).stdout
  expect(ask).toContain('q1  asks: Which region?\\u{200b}\n    context: "prod"\n    choices: eu | us')
  expect(ask).toMatch(/Go on with:\n {2}holdpoint tasks resume task_\w+ -c cp_\w+ --answer 'q1=your answer'\n$/)
  expect(ask).toMatch(/path +default \(run_\w+\) > default \(run_\w+\)/)
  const told = (await project.holdpoint('show', id('told'))).stdout
  expect(told).toContain(`-c -- '${UNTIL_TOLD}'`)
  expect((await project.holdpoint('show', id('apply'), '--json')).json).toMatchObject({
    status: 'paused',
    pause_reason: { pending_tool_calls: [{ id: 'c1', arguments: { command: 'echo applied >> effects.log' } }] },
  })
})

test('output is followed as it is printed, until the task rests; then all of it can be read again', async () => {
  const child = follow('told')
  const all = ended(child)
  await said(child, 'one')
  const asked = performance.now()
  const seen = said(child, 'two').then(() => performance.now() - asked)
  await project.write('go', '')
  expect(await seen).toBeLessThan(1000)
  expect(await all).toMatchObject({ exit: 0, stdout: 'one\ntwo\n', stderr: 'oops\n' })
  expect((await tasks('logs', id('told'), '--json')).json).toEqual({
    ...{ task_id: id('told'), invocation: 1 },
    stdout: { text: 'one\ntwo\n', size: 8, missing: 0 },
    stderr: { text: 'oops\n', size: 5, missing: 0 },
  })
  expect(await tasks('logs', id('told'), '--invocation', '2')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('has invocations 1 to 1'),
  })
})

test('output that is removed while it is read is followed to its end', async () => {
  const child = ended(follow('flood'))
  await project.write('flood', '')
  const { exit, stdout, stderr } = await child
  expect({ exit, last: stdout.slice(-10), stderr }).toMatchObject({ exit: 0, last: 'y\nthe end\n' })
  expect(stderr).not.toMatch(/ENOENT/)
})

test('whoever stops following, or reads no more, leaves the task alone', async () => {
  const [stopped, unread] = [follow('forever \u202e'), follow('forever \u202e')]
  const ends = Promise.all([ended(stopped), ended(unread)])
  await Promise.all([said(stopped, 'tick'), said(unread, 'tick')])
  stopped.kill('SIGINT')
  unread.stdout?.destroy()
  expect(await ends).toMatchObject([{ exit: 130 }, { exit: 0, stderr: '' }])
  expect((await tasks('wait', id('forever \u202e'), '--timeout', '0', '--json')).json).toMatchObject({
    timed_out: true,
    tasks: [{ status: 'running' }],
  })
})

test('a wait ends as what it was for: in time, with one, with all, or refused', async () => {
  const [forever, told] = [id('forever \u202e'), id('told')]
  expect(await tasks('wait', forever, told, '--any')).toMatchObject({ exit: 10, stderr: '' })
  const late = await tasks('wait', told, forever, '--timeout', '0.05')
  expect(late).toMatchObject({ exit: 1, stderr: 'holdpoint: the wait is over, and the tasks go on.\n' })
  expect(late.stdout.split('\n').map(line => line.split(' ')[0])).toEqual([told, forever, ''])
  expect((await tasks('wait', told, 'nope', '--json')).json.error.code).toBe('unknown_task')
})

test('what is not to be cancelled, decided or gone on with is refused with what to do, and changes nothing', async () => {
  const [told, apply] = [id('told'), id('apply')]
  const before = (await tasks('show', apply, '--json')).json
  const table: [args: string[], code: string][] = [
    [['resume', told], 'not_an_agent'],
    [['resume', told, '--approve-all'], 'not_an_agent'],
    [['resume', apply], 'nothing_to_go_on_with'],
    [['resume', apply, 'hello'], 'calls_pending'],
    [['resume', apply, '-c', 'cp_nowhere', '--approve', 'c1'], 'superseded'],
    [['resume', apply, '-c', before.checkpoint_id], 'nothing_said'],
    [['show', apply, '--approve-all'], 'invalid_arguments'],
    [['stop', apply], 'invalid_arguments'],
  ]
  const refused = await Promise.all(table.map(([args]) => tasks(...args, '--json')))
  for (const [index, { exit, json }] of refused.entries())
    expect.soft([exit, json.error.code, typeof json.error.hint]).toEqual([2, table[index]?.[1], 'string'])
  expect((await tasks('show', apply, '--json')).json).toEqual(before)
})

test('a resume decides and goes on; a task that is over is neither resumed nor cancelled', async () => {
  const [apply, again, ask] = [id('apply'), id('again'), id('ask')]
  const resumed = await tasks('resume', apply, '--approve', 'c1', '--reason', 'fine')
  expect(resumed).toMatchObject({ exit: 0, stdout: expect.stringContaining(`holdpoint tasks wait ${apply}`) })
  expect((await tasks('resume', again, '--reject-all')).exit).toBe(0)
  expect((await project.run(['tasks', 'resume', ask, '-'], { stdin: 'eu\n' })).exit).toBe(0)
  expect((await tasks('wait', apply, again, ask)).exit).toBe(0)
  expect(await project.effects()).toEqual(['applied'])
  expect((await tasks('show', apply)).stdout).toMatch(/2 {2}completed {2}exit 0 .* ana \(cli\)/)
  expect((await tasks('resume', apply, '--json')).json.error.code).toBe('nothing_to_go_on_with')
  expect((await tasks('cancel', apply, '--json')).json.error.code).toBe('task_over')
})

test('where a task cannot go on from here, a receipt says how it does, a resume decides nothing, and a wait waits on', async () => {
  const moved = id('moved')
  const [call] = (await tasks('show', moved, '--json')).json.pause_reason.pending_tool_calls
  const model = await project.read('moved.json')
  await project.write('moved.json', 'broken: [')
  const refused = await tasks('resume', moved, '--approve', 'c1', '--json')
  expect([refused.exit, refused.json.error.code]).toEqual([2, 'invalid_script'])
  expect((await project.holdpoint('show', call.hold_id, '--json')).json.status).toBe('open')
  const receipt = await project.holdpoint('approve', call.hold_id)
  expect(receipt.exit).toBe(0)
  expect(receipt.stdout).toContain(`Its task ${moved} could not go on from here: `)
  expect(receipt.stdout).toContain(`Next: \`holdpoint tasks resume ${moved}\``)
  expect((await tasks('show', moved)).stdout).toMatch(new RegExp(`Go on with:\n {2}holdpoint tasks resume ${moved}\n$`))
  const waiting = tasks('wait', moved)
  await delay(400)
  await project.write('moved.json', model)
  expect((await tasks('resume', moved)).exit).toBe(0)
  expect(await waiting).toMatchObject({ exit: 0, stderr: '' })
})

test('an agent whose process was killed goes on under its id, and then its hold wakes it', async () => {
  const slow = id('slow')
  const running = (await tasks('show', slow, '--json')).json
  process.kill(Number(/\d+/.exec(running.history[0].process.split(':').at(-2) ?? '')?.[0]), 'SIGKILL')
  expect(await tasks('wait', slow)).toMatchObject({ exit: 1, stdout: expect.stringContaining('failed by SIGKILL') })
  expect((await tasks('show', slow)).stdout).toContain(`Go on with:\n  holdpoint tasks resume ${slow}\n`)
  await project.write('slow.json', JSON.stringify(APPLY))
  expect((await tasks('resume', slow)).exit).toBe(0)
  expect((await tasks('wait', slow)).exit).toBe(10)
  const [call] = (await tasks('show', slow, '--json')).json.pause_reason.pending_tool_calls
  const receipt = await project.holdpoint('reject', call.hold_id)
  expect(receipt.stdout).toContain(`Next: its task ${slow} goes on; \`holdpoint tasks wait ${slow}\``)
  const again = await project.holdpoint('reject', call.hold_id, '--json')
  expect([again.exit, again.json.error.code]).toEqual([2, 'already_decided'])
  expect((await tasks('wait', slow)).exit).toBe(0)
})

test('a prune removes what the pruned tasks printed, also what an earlier one left behind, and no more', async () => {
  const forever = id('forever \u202e')
  await project.write('.holdpoint/tasks/task_left/1/stdout.0', 'left behind')
  expect((await tasks('cancel', id('told'), '--reason', 'not needed')).exit).toBe(0)
  const pruned = (await project.holdpoint('prune', '--older-than', '0s', '--json')).json
  expect(pruned.tasks).toBe(Object.keys(ids).length - 1)
  expect((await tasks('--json')).json).toMatchObject([{ task_id: forever, status: 'running' }])
  const kept = ['task_left', ...Object.values(ids)].filter(each => project.exists('.holdpoint/tasks', each))
  expect(kept).toEqual([forever])
  expect((await tasks('cancel', forever)).stdout).toMatch(/^task_\w+ {2}cancelled {2}\(forever \\u\{202e\}\)\n$/)
})
