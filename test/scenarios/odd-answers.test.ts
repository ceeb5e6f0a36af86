import { expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { aProject, effect, type Project } from './project.ts'

const prompting = { tools: { run_command: 'prompt' } }

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
async function validMessages(project: Project, session: string): Promise<any[]> {
  const messages = await project.messages(session)
  expect(historyFaults(messages)).toEqual([])
  return messages
}

test('a model that uses the same call id in every turn is understood, and each call is decided under a name of its own', async () => {
  const turns = ['one', 'two', 'three'].map(word => ({ calls: [effect('call_0', word)] }))
  await using project = await aProject({ script: [...turns, 'Done.'], policy: prompting })
  let { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const ids: string[] = []
  while (json.outcome === 'paused') {
    const [call] = json.pause_reason.pending_tool_calls
    ids.push(call.id)
    ;({ json } = await project.holdpoint('-c', json.checkpoint_id, '--approve', call.id, '-o', 'json'))
  }
  expect(json).toMatchObject({ outcome: 'completed', final_message: 'Done.' })
  expect(ids[0]).toBe('call_0')
  expect(new Set(ids).size).toBe(3)
  expect(await project.effects()).toEqual(['one', 'two', 'three'])
  expect(await validMessages(project, json.session_id)).toHaveLength(8)
})

test('a model that uses the same call id twice in one turn gets both calls decided apart', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('call_0', 'one'), effect('call_0', 'two')] }, 'Done.'],
    policy: prompting,
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [first, second] = paused.json.pause_reason.pending_tool_calls
  expect(first.id).not.toBe(second.id)
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', second.id)
  expect(await project.effects()).toEqual(['two'])
  await validMessages(project, paused.json.session_id)
})

test('a model that reuses a call id without any pause runs every call once', async () => {
  const turns = ['one', 'two'].map(word => ({ calls: [effect('call_0', word)] }))
  await using project = await aProject({ script: [...turns, 'Done.'] })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', steps_taken: 3 } })
  expect(await project.effects()).toEqual(['one', 'two'])
  await validMessages(project, done.json.session_id)
})

interface Odd {
  readonly title: string
  readonly call: Readonly<Record<string, unknown>>
  /** What the model is told in place of a result. */
  readonly told: RegExp
  /** The arguments as the conversation has them. */
  readonly kept: unknown
}

const ODD_CALLS: readonly Odd[] = [
  {
    title: 'of an unknown tool',
    call: { name: 'fly_to_moon', args: { fast: true } },
    told: /^UNKNOWN_TOOL: .*fly_to_moon.*run_command/,
    kept: { fast: true },
  },
  {
    title: 'of a tool named like a member of every object',
    call: { name: 'constructor', args: {} },
    told: /^UNKNOWN_TOOL: /,
    kept: {},
  },
  {
    title: 'whose arguments are broken JSON',
    call: { name: 'run_command', raw_args: '{"command": "echo broken >> effects.log' },
    told: /^INVALID_ARGUMENTS: /,
    kept: '{"command": "echo broken >> effects.log',
  },
  {
    title: 'whose arguments are a list',
    call: { name: 'run_command', raw_args: '["echo broken >> effects.log"]' },
    told: /^INVALID_ARGUMENTS: /,
    kept: '["echo broken >> effects.log"]',
  },
  {
    title: 'whose arguments are null',
    call: { name: 'run_command', raw_args: 'null' },
    told: /^INVALID_ARGUMENTS: /,
    kept: 'null',
  },
  {
    title: 'whose arguments are nothing at all',
    call: { name: 'run_command', raw_args: '' },
    told: /^INVALID_ARGUMENTS: .*command/,
    kept: {},
  },
  {
    title: 'whose arguments lack what is required',
    call: { name: 'run_command', args: {} },
    told: /^INVALID_ARGUMENTS: .*command/,
    kept: {},
  },
  {
    title: 'whose arguments are of the wrong type',
    call: { name: 'run_command', args: { command: ['echo'] } },
    told: /^INVALID_ARGUMENTS: .*command/,
    kept: { command: ['echo'] },
  },
  {
    title: 'whose arguments hold something unknown',
    call: { name: 'run_command', args: { command: 'true', sudo: true } },
    told: /^INVALID_ARGUMENTS: .*sudo/,
    kept: { command: 'true', sudo: true },
  },
]

test.for(ODD_CALLS)(
  'a call $title is answered with an error that the model sees, and nobody is asked',
  async ({ call, told, kept }) => {
    await using project = await aProject({
      script: [{ calls: [{ id: 'tc_1', ...call }] }, 'I see.'],
      policy: prompting,
    })
    const done = await project.holdpoint('--pause-on', 'approval,question', '-o', 'json', 'go')
    expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', final_message: 'I see.' } })
    const [, asked, result] = await validMessages(project, done.json.session_id)
    expect(asked.tool_calls[0].arguments).toStrictEqual(kept)
    expect(result).toMatchObject({ is_error: true, content: expect.stringMatching(told) })
    expect(await project.effects()).toEqual([])
  },
)

test('calls that cannot run do not keep the rest of their batch from being approved', async () => {
  const odd = ODD_CALLS.map(({ call }, index) => ({ id: `odd_${index}`, ...call }))
  const calls = [...odd.slice(0, 4), effect('tc_1', 'one'), ...odd.slice(4)]
  await using project = await aProject({ script: [{ calls }, 'Done.'], policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(paused.json.pause_reason.pending_tool_calls).toMatchObject([{ id: 'tc_1', requires_approval: true }])
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one'])
  const results = (await validMessages(project, done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results.map(({ is_error }) => is_error)).toEqual(calls.map(({ id }) => id !== 'tc_1'))
})

test('a text with an empty list of calls ends the run', async () => {
  await using project = await aProject({ script: [{ text: 'That is all.', calls: [] }] })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', final_message: 'That is all.', termination: { type: 'natural_end' } },
  })
  expect(await validMessages(project, done.json.session_id)).toHaveLength(2)
})

const NOTHING: readonly [title: string, turn: Record<string, unknown>][] = [
  ['an empty list of calls and no text', { calls: [] }],
  ['neither text nor calls', {}],
  ['an empty text', { text: '' }],
]

test.for(NOTHING)('an answer of %s is asked for once more, and then the run is not completed', async ([, turn]) => {
  await using project = await aProject({ script: [{ ...turn, usage: { input: 5, output: 0 } }] })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({
    exit: 1,
    json: {
      outcome: 'stopped',
      final_message: '',
      termination: { type: 'stopped', code: 'empty_answer' },
      steps_taken: 2,
      usage: { total_tokens: 10 },
      error: { code: 'empty_answer', hint: expect.stringContaining('"go on"') },
    },
  })
  expect(await validMessages(project, done.json.session_id)).toMatchObject([
    { role: 'user', content: 'go' },
    { role: 'user', content: expect.stringContaining('neither text nor a call') },
  ])
})

test.for(NOTHING)('an answer of %s pauses like a text where texts pause', async ([, turn]) => {
  await using project = await aProject({ script: [turn] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { pause_reason: { type: 'input_required' }, agent_message: '' } })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--finish', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: '' } })
})

test('a model that says nothing after a result, twice, leaves a run that is not completed and a valid history', async () => {
  await using project = await aProject({ script: [{ text: 'First.', calls: [effect('tc_1', 'one')] }, {}] })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 1, json: { termination: { code: 'empty_answer' }, steps_taken: 3 } })
  const messages = await validMessages(project, done.json.session_id)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('a script that is over says so, and the run ends', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }] })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { final_message: '(script ended)' },
  })
})

test('many calls in one turn are all answered, in order', async () => {
  const calls = Array.from({ length: 40 }, (_, index) => effect(`tc_${index}`, `word-${index}`))
  await using project = await aProject({ script: [{ calls }, 'Done.'], policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve-all', '-o', 'json')
  expect(await project.effects()).toEqual(calls.map((_, index) => `word-${index}`))
  expect(await validMessages(project, done.json.session_id)).toHaveLength(43)
})
