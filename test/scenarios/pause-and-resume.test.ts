import { expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, command, effect, type Project } from './project.ts'

const deploy = [
  { text: 'I am about to apply the changes.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployment complete.' },
]
const prompting = { tools: { run_command: 'prompt', write_file: 'auto' } }

/** A call that policy lets run by itself here: it leaves a file. */
function note(id: string, path: string): { id: string; name: string; args: Record<string, string> } {
  return { id, name: 'write_file', args: { path, content: `${path}\n` } }
}

interface Paused {
  readonly project: Project
  readonly checkpoint: string
  readonly session: string
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly document: any
}

/** A run whose first answer asked for `calls`, and which waits for approval. */
async function paused(
  calls: readonly unknown[],
  then: readonly unknown[] = ['Done.'],
): Promise<Paused & AsyncDisposable> {
  const project = await aProject({ script: [{ text: 'Several things to do.', calls }, ...then], policy: prompting })
  const { exit, json } = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'do it')
  expect(exit).toBe(10)
  return {
    project,
    checkpoint: json.checkpoint_id,
    session: json.session_id,
    document: json,
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

/** The results in the transcript, in its order, as `[call id, what the model sees]`. */
async function results({ project, session }: Paused): Promise<[string, unknown][]> {
  const messages = await project.messages(session)
  expect(historyFaults(messages)).toEqual([])
  return messages.filter(({ role }) => role === 'tool').map(message => [message.tool_call_id, message.content])
}

test('without a pause flag a call that policy would ask about runs, and nothing is left to resume', async () => {
  await using project = await aProject({ script: deploy, policy: prompting })
  const done = await project.holdpoint('-o', 'json', 'deploy')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Deployment complete.' } })
  expect(await project.effects()).toEqual(['applied'])
  expect(project.exists('.holdpoint', 'session')).toBe(false)
})

test('without a pause flag a call that policy never allows is refused, and the run goes on', async () => {
  await using project = await aProject({ script: deploy, policy: { tools: { run_command: 'never' } } })
  const done = await project.holdpoint('-o', 'json', 'deploy')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual([])
  const [, , result] = await project.messages(done.json.session_id)
  expect(result).toMatchObject({
    role: 'tool',
    is_error: true,
    content: expect.stringMatching(/^TOOL_CALL_FORBIDDEN: /),
  })
})

test('with the flag a batch of calls that need no approval runs through', async () => {
  await using project = await aProject({
    script: [{ text: 'Two notes.', calls: [note('tc_1', 'a.txt'), note('tc_2', 'b.txt')] }],
    policy: prompting,
  })
  // Only `input` is left out: the text that ends the run would pause it too.
  const done = await project.holdpoint('--pause-on', 'approval,question', '-o', 'json', 'write')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', steps_taken: 2 } })
  expect([await project.read('a.txt'), await project.read('b.txt')]).toEqual(['a.txt\n', 'b.txt\n'])
})

test('P1: a call that needs approval does not run before it has one, and then runs once', async () => {
  await using project = await aProject({ script: deploy, policy: { tools: { run_command: 'prompt' } } })
  const first = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'deploy')
  expect(first).toMatchObject({ exit: 10, stderr: '', json: { pause_reason: { type: 'tool_approval_required' } } })
  expect(await project.effects()).toEqual([])

  const done = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Deployment complete.' } })
  expect(await project.effects()).toEqual(['applied'])
})

test('P1: where one call of a batch needs approval nothing of the batch runs, and the whole batch is listed', async () => {
  await using held = await paused([note('tc_1', 'free.txt'), effect('tc_2', 'held')])
  expect(held.project.exists('free.txt')).toBe(false)
  expect(held.document.agent_message).toBe('Several things to do.')
  expect(held.document.pause_reason).toEqual({
    type: 'tool_approval_required',
    questions: [],
    pending_tool_calls: [
      {
        id: 'tc_1',
        name: 'write_file',
        arguments: { path: 'free.txt', content: 'free.txt\n' },
        requires_approval: false,
        hold_id: null,
        digest: null,
      },
      {
        id: 'tc_2',
        name: 'run_command',
        title: 'Run echo held >> effects.log',
        arguments: { command: 'echo held >> effects.log' },
        requires_approval: true,
        hold_id: expect.stringMatching(/^hold_/),
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        preview: expect.objectContaining({ problem: null, parts: [expect.objectContaining({ type: 'table' })] }),
      },
    ],
  })
})

test('the calls of a batch that need no approval run once the others are decided', async () => {
  await using held = await paused([note('tc_1', 'free.txt'), effect('tc_2', 'held')])
  const done = await held.project.holdpoint('-c', held.checkpoint, '--reject', 'tc_2')
  expect(done.exit).toBe(0)
  expect(await held.project.read('free.txt')).toBe('free.txt\n')
  expect(await held.project.effects()).toEqual([])
})

test('an approval may name a call that needs none along with the one that does', async () => {
  await using held = await paused([note('tc_1', 'free.txt'), effect('tc_2', 'held')])
  const done = await held.project.holdpoint('-c', held.checkpoint, '--approve', 'tc_1', '--approve', 'tc_2')
  expect(done.exit).toBe(0)
  expect(await held.project.effects()).toEqual(['held'])
})

test('approved calls run in the order in which they are listed, whatever the order of the flags', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two'), effect('tc_3', 'three')])
  await held.project.holdpoint('-c', held.checkpoint, '--approve', 'tc_3', '--approve', 'tc_1', '--approve', 'tc_2')
  expect(await held.project.effects()).toEqual(['one', 'two', 'three'])
})

test('P5: results stand in the transcript in call order, whatever became of the calls', async () => {
  await using held = await paused([
    effect('tc_1', 'one'),
    note('tc_2', 'two.txt'),
    effect('tc_3', 'three'),
    effect('tc_4', 'four'),
  ])
  await held.project.holdpoint(
    '-c',
    held.checkpoint,
    '--approve',
    'tc_4',
    '--reject',
    'tc_1',
    '--reason',
    'not on a Friday',
  )
  expect(await results(held)).toEqual([
    ['tc_1', 'TOOL_CALL_REJECTED: not on a Friday'],
    ['tc_2', expect.anything()],
    ['tc_3', expect.stringMatching(/^TOOL_CALL_REJECTED: /)],
    ['tc_4', expect.objectContaining({ exit_code: 0 })],
  ])
  expect(await held.project.effects()).toEqual(['four'])
})

const noReason: readonly [title: string, args: string[]][] = [
  ['no reason', []],
  ['a reason of white space', ['--reason', ' ']],
]

test.for(noReason)('a rejection with %s still tells the model who rejected', async ([, reason]) => {
  await using held = await paused([effect('tc_1', 'one')])
  await held.project.holdpoint('-c', held.checkpoint, '--reject', 'tc_1', ...reason)
  expect(await results(held)).toEqual([['tc_1', expect.stringMatching(/^TOOL_CALL_REJECTED: .*\bana\b/)]])
})

test('of approved calls one that fails does not stop the next', async () => {
  await using held = await paused([
    effect('tc_1', 'one'),
    command('tc_2', 'echo two >> effects.log; exit 3'),
    effect('tc_3', 'three'),
  ])
  const done = await held.project.holdpoint('-c', held.checkpoint, '--approve-all')
  expect(done.exit).toBe(0)
  expect(await held.project.effects()).toEqual(['one', 'two', 'three'])
  expect(await results(held)).toMatchObject([
    ['tc_1', { exit_code: 0 }],
    ['tc_2', { exit_code: 3 }],
    ['tc_3', { exit_code: 0 }],
  ])
})

test('of approved calls one that cannot even start does not stop the next', async () => {
  const missing = { id: 'tc_2', name: 'read_file', args: { path: 'missing.txt' } }
  await using held = await paused([effect('tc_1', 'one'), missing, effect('tc_3', 'three')])
  await held.project.holdpoint('-c', held.checkpoint, '--approve-all')
  expect(await held.project.effects()).toEqual(['one', 'three'])
  expect((await results(held))[1]).toEqual(['tc_2', expect.stringMatching(/^[A-Z_]+: /)])
})

test('everything is approved with --approve-all', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two')])
  const done = await held.project.holdpoint('-c', held.checkpoint, '--approve-all', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })
  expect(await held.project.effects()).toEqual(['one', 'two'])
})

test('everything is rejected with --reject-all, each call with the reason', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two')])
  const done = await held.project.holdpoint('-c', held.checkpoint, '--reject-all', '--reason', 'too risky')
  expect(done.exit).toBe(0)
  expect(await held.project.effects()).toEqual([])
  expect(await results(held)).toEqual([
    ['tc_1', 'TOOL_CALL_REJECTED: too risky'],
    ['tc_2', 'TOOL_CALL_REJECTED: too risky'],
  ])
})

test('--approve-all approves what no other flag decides', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two'), effect('tc_3', 'three')])
  await held.project.holdpoint('-c', held.checkpoint, '--approve-all', '--reject', 'tc_2')
  expect(await held.project.effects()).toEqual(['one', 'three'])
})

test('a hold id decides as its call id does', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two')])
  const [one, two] = held.document.pause_reason.pending_tool_calls
  await held.project.holdpoint('-c', held.checkpoint, '--approve', two.hold_id, '--reject', one.hold_id)
  expect(await held.project.effects()).toEqual(['two'])
})

test('P9: an edit runs the other arguments, and the model sees both and who changed them', async () => {
  await using held = await paused([effect('tc_1', 'original')])
  const edited = { command: 'echo edited >> effects.log' }
  const done = await held.project.holdpoint('-c', held.checkpoint, '--edit', `tc_1=${JSON.stringify(edited)}`)
  expect(done.exit).toBe(0)
  expect(await held.project.effects()).toEqual(['edited'])
  expect(await results(held)).toEqual([
    [
      'tc_1',
      {
        note: expect.stringContaining('ana'),
        original_arguments: { command: 'echo original >> effects.log' },
        executed_arguments: edited,
        result: expect.objectContaining({ exit_code: 0 }),
      },
    ],
  ])
})

test('the model is told what a person says with a yes', async () => {
  await using held = await paused([effect('tc_1', 'one'), note('tc_2', 'two.txt')])
  await held.project.holdpoint('-c', held.checkpoint, '--approve', 'tc_1', '--reason', 'only in the EU')
  expect(await results(held)).toEqual([
    [
      'tc_1',
      { note: 'ana approved this call and said: only in the EU', result: expect.objectContaining({ exit_code: 0 }) },
    ],
    ['tc_2', expect.not.objectContaining({ note: expect.anything() })],
  ])
})

test('the model is told what a person says with an edit', async () => {
  await using held = await paused([effect('tc_1', 'original')])
  const edit = `tc_1=${JSON.stringify({ command: 'echo edited >> effects.log' })}`
  await held.project.holdpoint('-c', held.checkpoint, '--edit', edit, '--reason', 'the other one is gone')
  expect(await results(held)).toMatchObject([
    ['tc_1', { note: expect.stringMatching(/ana.*other arguments.*ana.*said: the other one is gone/s) }],
  ])
})

test('a reason beside a rejection says nothing of the calls that may run', async () => {
  await using held = await paused([effect('tc_1', 'one'), effect('tc_2', 'two')])
  await held.project.holdpoint('-c', held.checkpoint, '--approve-all', '--reject', 'tc_2', '--reason', 'too risky')
  expect(await results(held)).toEqual([
    ['tc_1', expect.objectContaining({ exit_code: 0 })],
    ['tc_2', 'TOOL_CALL_REJECTED: too risky'],
  ])
})

test('an edit can be read from a file', async () => {
  await using held = await paused([effect('tc_1', 'original')])
  await held.project.write('edit.json', JSON.stringify({ command: 'echo from-file >> effects.log' }))
  await held.project.holdpoint('-c', held.checkpoint, '--edit', 'tc_1=@edit.json')
  expect(await held.project.effects()).toEqual(['from-file'])
})

test('the same call again after a rejection is rejected without asking, and says why', async () => {
  const again = { text: 'Then again.', calls: [effect('tc_2', 'one')] }
  await using held = await paused([effect('tc_1', 'one')], [again, 'I gave up.'])
  const done = await held.project.holdpoint(
    '-c',
    held.checkpoint,
    '--reject',
    'tc_1',
    '--reason',
    'never',
    '-o',
    'json',
  )
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'I gave up.', steps_taken: 3 } })
  expect(await held.project.effects()).toEqual([])
  expect(await results(held)).toEqual([
    ['tc_1', 'TOOL_CALL_REJECTED: never'],
    ['tc_2', expect.stringMatching(/^TOOL_CALL_REJECTED: .*rejected before.*never/)],
  ])
})

test('another call of the same tool after a rejection asks again', async () => {
  const other = { text: 'Then something else.', calls: [effect('tc_2', 'two')] }
  await using held = await paused([effect('tc_1', 'one')], [other, 'Done.'])
  const second = await held.project.holdpoint('-c', held.checkpoint, '--reject', 'tc_1', '-o', 'json')
  expect(second).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
})

test('a call that policy never allows can be approved by a person where the run pauses', async () => {
  await using project = await aProject({ script: deploy, policy: { tools: { run_command: 'never' } } })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  expect(first.exit).toBe(10)
  await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1')
  expect(await project.effects()).toEqual(['applied'])
})

const NO_CATS = { rules: [{ tool: 'run_command', match: { command: 'cat *' }, policy: 'never' }] }
const FORBIDDEN = command('tc_2', 'cat secret >> effects.log; echo forbidden >> effects.log')
const NEVER = 'POLICY SAYS NEVER: approving overrides it'

test('P1: --approve-all leaves out a call that policy says never to, and its own approval overrides', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one'), FORBIDDEN] }, 'Done.'],
    policy: NO_CATS,
  })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [usual, never] = first.json.pause_reason.pending_tool_calls
  expect([usual.overrides_never, never.overrides_never]).toEqual([undefined, true])
  expect(first.json.resume_hint).toMatch(/--approve tc_1 --reject tc_2/)
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve-all', '-o', 'json')
  const left = [
    { id: 'tc_1', decided: { verdict: 'approve' } },
    { id: 'tc_2', overrides_never: true },
  ]
  expect(second).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: left } } })
  expect(await project.effects()).toEqual([])
  const idle = await project.holdpoint('-c', second.json.checkpoint_id, '--approve-all')
  expect(idle).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('tc_2 (run_command, approval, policy says never)'),
  })
  const done = await project.holdpoint('-c', second.json.checkpoint_id, '--approve', 'tc_2')
  expect(done.exit).toBe(0)
  expect(await project.effects()).toEqual(['one', 'forbidden'])
})

test('P1: --approve-all beside another choice rejects no call that policy says never to, and approves none', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one'), FORBIDDEN] }, 'Done.'],
    policy: NO_CATS,
  })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const words = ['--approve-all', '--reject', 'tc_1', '-o', 'json']
  const second = await project.holdpoint('-c', first.json.checkpoint_id, ...words)
  expect(second.json.pause_reason.pending_tool_calls.at(-1)).toMatchObject({ id: 'tc_2', overrides_never: true })
  await project.holdpoint('-c', second.json.checkpoint_id, '--reject-all')
  expect(await project.effects()).toEqual([])
})

test('P1: --approve-all leaves out such a call that an older version held, which did not mark it', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one'), FORBIDDEN] }, 'Done.'],
    policy: NO_CATS,
  })
  const { checkpoint_id } = (await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).json
  forgetNever(project)
  const second = await project.holdpoint('-c', checkpoint_id, '--approve-all', '-o', 'json')
  expect(second).toMatchObject({ exit: 10 })
  const left = second.json.pause_reason.pending_tool_calls.at(-1)
  expect(left).toMatchObject({ id: 'tc_2', overrides_never: true })
  expect((await project.holdpoint('show', left.hold_id)).stdout).toContain(`\n    ${NEVER}\n`)
  expect(await project.effects()).toEqual([])
})

/** As holds were stored before they said that policy says never. */
function forgetNever(project: Project): void {
  using file = openDatabase(project.path('.holdpoint/holdpoint.db'))
  file.exec(`UPDATE holds SET asked = json_remove(asked, '$.overrides_never');
    UPDATE events SET data = json_remove(data, '$.overrides_never') WHERE kind = 'hold.opened'`)
}

test('a call that policy says never to is marked in the text of its pause, in the list of holds and in show', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one'), FORBIDDEN] }, 'Done.'],
    policy: NO_CATS,
  })
  const pause = await project.holdpoint('--pause-on-approval', 'go')
  expect(pause.stdout).toContain(`>> effects.log  (needs approval)\n    ${NEVER}\n`)
  expect(pause.stdout.split(NEVER)).toHaveLength(2)
  expect((await project.holdpoint('holds')).stdout.split(NEVER)).toHaveLength(2)
  const { json } = await project.holdpoint('holds', '--json')
  const marked = json.filter(({ overrides_never }: { overrides_never?: true }) => overrides_never)
  expect(marked).toMatchObject([{ call_id: 'tc_2' }])
  expect((await project.holdpoint('show', marked[0].id)).stdout).toContain(`\n    ${NEVER}\n`)
})

test('a call that policy never allows is refused at once where on_never says reject', async () => {
  await using project = await aProject({
    script: deploy,
    policy: { tools: { run_command: 'never' }, on_never: 'reject' },
  })
  const done = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'deploy')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual([])
})

test('a resume that decides nothing shows the same pause again', async () => {
  await using held = await paused([effect('tc_1', 'one')])
  const looked = await held.project.holdpoint('-c', held.checkpoint, '-o', 'json')
  expect(looked).toMatchObject({ exit: 10, json: held.document })
})
