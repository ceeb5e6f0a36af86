import { expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { aProject, effect } from './project.ts'
import { wholeProject } from './whole-project.ts'

const turns = [
  { calls: [effect('tc_1', 'one')], usage: { input: 10, output: 1 } },
  { calls: [effect('tc_2', 'two')], usage: { input: 10, output: 1 } },
  { text: 'Done.', usage: { input: 10, output: 1 } },
]
const prompting = { tools: { run_command: 'prompt' } }
const start = ['--pause-on-approval', '-o', 'json', 'go']

/** The rows of a thread, wherever they are. */
function rowsOf(tables: Readonly<Record<string, readonly unknown[]>>, ids: readonly string[]): unknown[] {
  return Object.values(tables).flatMap(rows => rows.filter(row => ids.some(id => JSON.stringify(row).includes(id))))
}

test('a fork is a new thread with the same past, and takes the decision', async () => {
  await using project = await aProject({ script: turns, policy: prompting })
  const old = (await project.holdpoint(...start)).json
  const fork = await project.holdpoint('-c', old.checkpoint_id, '--fork', '--approve', 'tc_1', '-o', 'json')
  expect(fork).toMatchObject({
    exit: 10,
    stderr: '',
    json: {
      outcome: 'paused',
      steps_taken: 2,
      usage: { total_tokens: 22 },
      pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] },
    },
  })
  expect(fork.json.session_id).not.toBe(old.session_id)
  expect(fork.json.run_id).not.toBe(old.run_id)
  expect(await project.effects()).toEqual(['one'])
  expect((await project.messages(fork.json.session_id))[0]).toMatchObject({ role: 'user', content: 'go' })
})

test('a fork leaves the old thread as it was, and that can still be resumed', async () => {
  await using project = await aProject({
    script: turns,
    policy: prompting,
    files: { 'open.json': '{"default":"auto"}' },
  })
  const old = (await project.holdpoint(...start)).json
  const before = rowsOf((await wholeProject(project)).tables, [old.session_id, old.run_id])
  const other = ['--fork', '--reject', 'tc_1', '--policy', 'open.json', '-o', 'json']
  const fork = await project.holdpoint('-c', old.checkpoint_id, ...other)
  expect(fork).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  const { tables } = await wholeProject(project)
  expect(rowsOf(tables, [old.session_id, old.run_id])).toEqual(expect.arrayContaining(before))
  expect(await project.read('.holdpoint/session/pauses', `${old.run_id}.json`)).toContain(old.checkpoint_id)

  const resumed = await project.holdpoint('-c', old.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(resumed).toMatchObject({
    exit: 10,
    json: { session_id: old.session_id, pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } },
  })
  expect(await project.effects()).toEqual(['two', 'one'])
})

test('a fork without a decision pauses at once, under a checkpoint of its own', async () => {
  await using project = await aProject({ script: turns, policy: prompting })
  const old = (await project.holdpoint(...start)).json
  const fork = await project.holdpoint('-c', old.checkpoint_id, '--fork', '-o', 'json')
  expect(fork).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } } })
  expect(fork.json.checkpoint_id).not.toBe(old.checkpoint_id)
  const [call] = fork.json.pause_reason.pending_tool_calls
  expect(call.hold_id).not.toBe(old.pause_reason.pending_tool_calls[0].hold_id)

  const on = await project.holdpoint('-c', fork.json.checkpoint_id, '--approve', call.hold_id, '-o', 'json')
  expect(on).toMatchObject({ exit: 10, json: { session_id: fork.json.session_id } })
})

test('P2: a checkpoint that was resumed is refused, with who decided and where to go on', async () => {
  await using project = await aProject({ script: turns, policy: prompting })
  const first = (await project.holdpoint(...start)).json
  const second = (await project.holdpoint('-c', first.checkpoint_id, '--approve', 'tc_1', '-o', 'json')).json
  const before = await wholeProject(project)
  for (const again of [['--approve', 'tc_1'], ['--reject', 'tc_1'], ['some text'], []]) {
    const refused = await project.holdpoint('-c', first.checkpoint_id, '-o', 'json', ...again)
    expect(refused).toMatchObject({
      exit: 2,
      json: {
        outcome: 'refused',
        error: {
          code: 'superseded',
          message: expect.stringContaining('ana'),
          hint: expect.stringContaining('--fork'),
        },
        checkpoint_id: second.checkpoint_id,
      },
    })
  }
  expect(await wholeProject(project)).toEqual(before)
  expect(await project.effects()).toEqual(['one'])
})

test('a superseded checkpoint can be forked', async () => {
  await using project = await aProject({ script: turns, policy: prompting })
  const first = (await project.holdpoint(...start)).json
  await project.holdpoint('-c', first.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  const fork = await project.holdpoint(
    '-c',
    first.checkpoint_id,
    '--fork',
    '--reject',
    'tc_1',
    '--reason',
    'no',
    '-o',
    'json',
  )
  expect(fork).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  const messages = await project.messages(fork.json.session_id)
  expect(messages[2]).toMatchObject({ role: 'tool', content: 'TOOL_CALL_REJECTED: no' })
  expect(await project.effects()).toEqual(['one'])
})

test('the end of a run can be forked with a text', async () => {
  await using project = await aProject({ script: ['First.', 'Second.'] })
  const old = (await project.holdpoint('-o', 'json', 'go')).json
  const fork = await project.holdpoint('-c', old.checkpoint_id, '--fork', '-o', 'json', 'and then?')
  expect(fork).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Second.' } })
  expect(fork.json.session_id).not.toBe(old.session_id)
  expect(await project.messages(old.session_id)).toHaveLength(2)
  const messages = await project.messages(fork.json.session_id)
  expect(messages).toHaveLength(4)
  expect(historyFaults(messages)).toEqual([])
})

const wrongForks: readonly [title: string, args: string[], code: string][] = [
  ['an unknown id', ['--approve', 'tc_9'], 'unknown_id'],
  ['a directory that is not there', ['--approve', 'tc_1', '-w', 'nowhere'], 'no_workdir'],
  ['an unknown model', ['--approve', 'tc_1', '--model', 'nowhere'], 'unknown_model'],
  ['an edit that does not fit', ['--edit', 'tc_1={"x":1}'], 'invalid_arguments'],
]

test.for(wrongForks)('a fork with %s makes no thread', async ([, args, code]) => {
  await using project = await aProject({ script: turns, policy: prompting })
  const old = (await project.holdpoint(...start)).json
  const before = await wholeProject(project)
  const refused = await project.holdpoint('-c', old.checkpoint_id, '--fork', '-o', 'json', ...args)
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code } } })
  expect(await wholeProject(project)).toEqual(before)
})
