import { mkdir, rename } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { aProject, command, effect } from './project.ts'

const prompting = { tools: { run_command: 'prompt' } }

test('gating is sticky: a run that wants 25 gated calls pauses 25 times, each with a new checkpoint and correct totals', async () => {
  const times = 25
  const turns = Array.from({ length: times }, (_, index) => ({
    calls: [effect(`tc_${index + 1}`, `step-${index + 1}`)],
    usage: { input: 100 + index, output: 7 },
  }))
  await using project = await aProject({
    script: [...turns, { text: 'All done.', usage: { input: 1, output: 1 } }],
    policy: prompting,
  })
  const checkpoints = new Set<string>()
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

  let { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  for (let step = 1; step <= times; step += 1) {
    usage.input_tokens += 99 + step
    usage.output_tokens += 7
    usage.total_tokens += 106 + step
    expect({ exit, json }).toMatchObject({
      exit: 10,
      json: {
        outcome: 'paused',
        steps_taken: step,
        usage,
        pause_reason: { pending_tool_calls: [{ id: `tc_${step}` }] },
      },
    })
    expect(await project.effects()).toHaveLength(step - 1)
    checkpoints.add(json.checkpoint_id)
    ;({ exit, json } = await project.holdpoint('-c', json.checkpoint_id, '--approve', `tc_${step}`, '-o', 'json'))
  }

  expect({ exit, json }).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', final_message: 'All done.', steps_taken: times + 1 },
  })
  expect(json.usage).toEqual({ input_tokens: 2801, output_tokens: 176, total_tokens: 2977 })
  expect(checkpoints.size).toBe(times)
  expect(await project.effects()).toEqual(turns.map((_, index) => `step-${index + 1}`))
  expect(historyFaults(await project.messages(json.session_id))).toEqual([])
})

const twoGated = [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }, 'Done.']

test('a run keeps its policy when the policy of the project changes', async () => {
  await using project = await aProject({ script: twoGated, policy: prompting })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.write('.holdpoint/policy.json', JSON.stringify({ tools: { run_command: 'auto' } }))
  const second = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(second).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
})

test('--policy changes the policy of the rest of a run', async () => {
  await using project = await aProject({
    script: twoGated,
    policy: prompting,
    files: { 'open.json': '{"default":"auto"}' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '--policy', 'open.json')
  expect(done.exit).toBe(0)
  expect(await project.effects()).toEqual(['one', 'two'])
})

test('a run keeps its model when the default changes', async () => {
  await using project = await aProject({
    script: twoGated,
    policy: prompting,
    files: { 'other.json': '["a","b","c"]' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const second = await project.run(['-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json'], {
    env: { HOLDPOINT_MODEL: 'script:other.json' },
  })
  expect(second).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  expect(second.json.model).toBe(paused.json.model)
})

test('--model changes the model of the rest of a run', async () => {
  await using project = await aProject({
    script: twoGated,
    policy: prompting,
    files: { 'other.json': '["a",{"calls":[{"id":"tc_9","name":"run_command","args":{"command":"true"}}]},"c"]' },
  })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const change = ['--approve', 'tc_1', '--model', 'script:other.json', '-o', 'json']
  const second = await project.holdpoint('-c', first.json.checkpoint_id, ...change)
  expect(second).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_9' }] } } })
  const third = await project.holdpoint('-c', second.json.checkpoint_id, '--approve', 'tc_9', '-o', 'json')
  expect(third.json).toMatchObject({ outcome: 'completed', final_message: 'c', model: second.json.model })
  expect(second.json.model).toMatch(/other\.json$/)
})

test('a run keeps the directory in which its tools work', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'pwd -P > where.txt')] }, 'Done.'],
    policy: prompting,
    files: { 'sub/here.txt': '' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-w', 'sub', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1')
  expect((await project.read('sub', 'where.txt')).trim()).toMatch(/\/sub$/)
})

test('-w changes the directory in which the tools of the rest of a run work', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'],
    policy: prompting,
    files: { 'sub/here.txt': '' },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-w', 'sub')
  expect(await project.read('sub', 'effects.log')).toBe('one\n')
  expect(await project.effects()).toEqual([])
})

test('a resume from another directory works in the run’s own directory, with the run’s own model', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'pwd -P > where.txt')] }, { calls: [effect('tc_2', 'two')] }, 'Done.'],
    policy: prompting,
  })
  await using elsewhere = await aProject()
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const store = `sqlite:${project.path('.holdpoint/holdpoint.db')}`
  const second = await elsewhere.holdpoint(
    '-c',
    first.json.checkpoint_id,
    '--store',
    store,
    '--approve',
    'tc_1',
    '-o',
    'json',
  )
  expect(second).toMatchObject({ exit: 10, json: { session_id: first.json.session_id } })
  expect(project.exists('where.txt')).toBe(true)
  expect(elsewhere.exists('where.txt')).toBe(false)

  const done = await elsewhere.holdpoint(
    '-c',
    second.json.checkpoint_id,
    '--store',
    store,
    '--approve',
    'tc_2',
    '-o',
    'json',
  )
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })
  expect(await project.effects()).toEqual(['two'])
  expect(elsewhere.exists('effects.log')).toBe(false)
})

test('a run keeps its allow-list of tools', async () => {
  const turns = [
    { calls: [effect('tc_1', 'one')] },
    { calls: [{ id: 'tc_2', name: 'write_file', args: { path: 'a', content: 'a' } }] },
    'Done.',
  ]
  await using project = await aProject({ script: turns, policy: { tools: { write_file: 'auto' } } })
  const paused = await project.holdpoint('--pause-on-approval', '-t', 'run_command', '-o', 'json', 'go')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done.exit).toBe(0)
  expect(project.exists('a')).toBe(false)
})

test('a run that its limit stopped goes on with a higher one, and its totals go on too', async () => {
  const turns = [1, 2, 3].map(n => ({ calls: [effect(`tc_${n}`, `step-${n}`)], usage: { input: 10, output: 1 } }))
  await using project = await aProject({ script: [...turns, 'Done.'] })
  const stopped = await project.holdpoint('--max-steps', '2', '-o', 'json', 'go')
  expect(stopped).toMatchObject({
    exit: 1,
    stderr: '',
    json: {
      outcome: 'stopped',
      termination: { type: 'stopped', code: 'max_rounds' },
      error: { code: 'max_rounds', hint: expect.stringContaining('--max-steps') },
      steps_taken: 2,
    },
  })
  expect(await project.effects()).toEqual(['step-1', 'step-2'])

  const done = await project.holdpoint('-c', stopped.json.checkpoint_id, '--max-steps', '10', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', steps_taken: 4, usage: { total_tokens: 33 } } })
  expect(await project.effects()).toEqual(['step-1', 'step-2', 'step-3'])
})

test('a run that its limit stopped takes no further step while the limit stays as it is', async () => {
  const turns = [1, 2].map(n => ({ calls: [effect(`tc_${n}`, `step-${n}`)] }))
  await using project = await aProject({ script: [...turns, 'Done.'] })
  const stopped = await project.holdpoint('--max-steps', '1', '-o', 'json', 'go')
  const again = await project.holdpoint('-c', stopped.json.checkpoint_id, '-o', 'json')
  expect(again.exit).not.toBe(0)
  expect(await project.effects()).toEqual(['step-1'])
})

test('a limit counts over every resume', async () => {
  await using project = await aProject({ script: twoGated, policy: prompting })
  const first = await project.holdpoint('--pause-on-approval', '--max-steps', '2', '-o', 'json', 'go')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  const third = await project.holdpoint('-c', second.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json')
  expect(third).toMatchObject({ exit: 1, json: { outcome: 'stopped', steps_taken: 2 } })
})

const WORKS_IN_SUB = {
  script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'],
  policy: prompting,
  files: { 'sub/x': '' },
}

/** A run that waits, and whose directory has another name since. */
async function pausedAndMoved(project: Awaited<ReturnType<typeof aProject>>) {
  const paused = await project.holdpoint('--pause-on-approval', '-w', 'sub', '-o', 'json', 'go')
  await rename(project.path('sub'), project.path('moved'))
  return paused
}

test('a run whose directory is gone is not resumed, and its approval is not used up', async () => {
  await using project = await aProject(WORKS_IN_SUB)
  const paused = await pausedAndMoved(project)
  const refused = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(refused).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_workdir', message: expect.stringContaining('sub') } },
  })

  // A worker takes no --workdir, so its hint is a command that does.
  await project.holdpoint('approve', 'tc_1')
  const worked = await project.holdpoint('work', '--once')
  expect(worked).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(`holdpoint -c ${paused.json.run_id} --workdir DIR`),
  })
  const moved = ['-c', paused.json.run_id, '--workdir', 'moved', '-o', 'json']
  expect(await project.holdpoint(...moved)).toMatchObject({ exit: 0 })
  expect(await project.read('moved', 'effects.log')).toBe('one\n')
})

test('a run whose directory is there again goes on in it', async () => {
  await using project = await aProject(WORKS_IN_SUB)
  const paused = await pausedAndMoved(project)
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1')
  await mkdir(project.path('sub'))
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done.exit).toBe(0)
  expect(await project.read('sub', 'effects.log')).toBe('one\n')
})
