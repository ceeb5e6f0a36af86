import { expect, test } from 'vitest'
import { aProject, command, effect } from './project.ts'

const oneCall = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
const saying = (text: string) => JSON.stringify([text])

test('the model is that of the flag, then of the environment, then of the project', async () => {
  await using project = await aProject({
    config: { model: 'script:project.json' },
    files: {
      'project.json': saying('project'),
      'environment.json': saying('environment'),
      'flag.json': saying('flag'),
    },
  })
  const env = { HOLDPOINT_MODEL: 'script:environment.json' }
  expect((await project.holdpoint('go')).stdout).toBe('project\n')
  expect((await project.run(['go'], { env })).stdout).toBe('environment\n')
  expect((await project.run(['--model', 'script:flag.json', 'go'], { env })).stdout).toBe('flag\n')
})

test('a scripted model may be written in YAML', async () => {
  const yaml =
    '- text: First.\n  calls:\n    - { id: tc_1, name: run_command, args: { command: "echo one >> effects.log" } }\n- Last.\n'
  await using project = await aProject({ files: { 'script.yaml': yaml } })
  expect(await project.holdpoint('--model', 'script:script.yaml', 'go')).toMatchObject({ exit: 0, stdout: 'Last.\n' })
  expect(await project.effects()).toEqual(['one'])
})

test('the store is that of the flag, then of the environment, then of the project', async () => {
  await using project = await aProject({ script: ['Done.'], config: { store: 'sqlite:project.db' } })
  const env = { HOLDPOINT_STORE: 'sqlite:environment.db' }
  await project.holdpoint('go')
  expect([project.exists('project.db'), project.exists('environment.db')]).toEqual([true, false])
  await project.run(['go'], { env })
  expect([project.exists('environment.db'), project.exists('flag.db')]).toEqual([true, false])
  await project.run(['--store', 'sqlite:flag.db', 'go'], { env })
  expect([project.exists('flag.db'), project.exists('.holdpoint/holdpoint.db')]).toEqual([true, false])

  for (const args of [[], ['--store', 'sqlite:environment.db'], ['--store', 'sqlite:flag.db']]) {
    expect((await project.holdpoint('runs', '--json', ...args)).json).toHaveLength(1)
  }
})

test('a project may make its runs pause by default, and a flag says otherwise', async () => {
  await using project = await aProject({ script: oneCall, config: { pause_on: ['approval'] } })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 10, json: { outcome: 'paused' } })
  expect(await project.holdpoint('--pause-on', 'question', '-o', 'json', 'go')).toMatchObject({ exit: 0 })
})

test('a project may have comments in its configuration and its policy', async () => {
  await using project = await aProject({
    script: oneCall,
    files: {
      '.holdpoint/config.json': '{\n  // where we pause\n  "pause_on": ["approval"], /* and only there */\n}\n',
      '.holdpoint/policy.json': '{ "default": "auto", // trusting\n}\n',
    },
  })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
})

test('a project may name its agent', async () => {
  await using project = await aProject({
    script: ['Done.'],
    config: { agent: 'agents/careful.md' },
    files: { 'agents/careful.md': 'Be careful.\n' },
  })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  expect((await project.holdpoint('threads', 'show', json.session_id, '--json')).json.system).toBe('Be careful.')
})

test('where no policy is given, looking is free and doing asks', async () => {
  const calls = [
    { id: 'tc_1', name: 'list_files', args: {} },
    { id: 'tc_2', name: 'read_file', args: { path: 'script.json' } },
    { id: 'tc_3', name: 'run_command', args: { command: 'true' } },
    { id: 'tc_4', name: 'write_file', args: { path: 'a', content: '' } },
  ]
  await using project = await aProject({ script: [{ calls }] })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const asked = json.pause_reason.pending_tool_calls.map(
    (call: { requires_approval: boolean }) => call.requires_approval,
  )
  expect(asked).toEqual([false, false, true, true])
})

test('-w is where tools work, and what they leave there stays there', async () => {
  await using project = await aProject({
    script: [
      {
        calls: [
          command('tc_1', 'pwd -P'),
          { id: 'tc_2', name: 'write_file', args: { path: 'new.txt', content: 'new' } },
        ],
      },
      'Done.',
    ],
    files: { 'sub/x': '' },
  })
  const { json } = await project.holdpoint('-w', 'sub', '-o', 'json', 'go')
  const [, , where] = await project.messages(json.session_id)
  expect(where.content.stdout).toMatch(/\/sub\n$/)
  expect(await project.read('sub/new.txt')).toBe('new')
  expect(project.exists('sub/.holdpoint')).toBe(false)
})

test('-t binds what runs, not only what the model is shown', async () => {
  const calls = [effect('tc_1', 'one'), { id: 'tc_2', name: 'write_file', args: { path: 'a.txt', content: 'a' } }]
  await using project = await aProject({ script: [{ calls }, 'Done.'] })
  const { exit, json } = await project.holdpoint('-t', 'write_file', '-t', 'read_file', '-o', 'json', 'go')
  expect(exit).toBe(0)
  expect(await project.effects()).toEqual([])
  expect(await project.read('a.txt')).toBe('a')
  const [, , refused] = await project.messages(json.session_id)
  expect(refused).toMatchObject({
    is_error: true,
    content: expect.stringMatching(/^UNKNOWN_TOOL: .*write_file, read_file/),
  })
})

test('--max-steps counts model answers, and a text within the limit ends the run', async () => {
  await using project = await aProject({ script: oneCall })
  expect(await project.holdpoint('--max-steps', '2', '-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', steps_taken: 2 },
  })
  expect(await project.holdpoint('--max-steps', '1', '-o', 'json', 'go')).toMatchObject({
    exit: 1,
    json: { outcome: 'stopped', steps_taken: 1 },
  })
})

test('--system-prompt-file stands in place of the agent’s own instructions', async () => {
  await using project = await aProject({
    script: ['Done.'],
    files: { 'system.md': 'Be brief.\n', 'agent.md': 'Be long.' },
  })
  const { json } = await project.holdpoint(
    '--agent',
    'agent.md',
    '--system-prompt-file',
    'system.md',
    '-o',
    'json',
    'go',
  )
  expect((await project.holdpoint('threads', 'show', json.session_id, '--json')).json.system).toBe('Be brief.\n')
})

test('--policy stands in place of the project’s policy', async () => {
  await using project = await aProject({
    script: oneCall,
    policy: { default: 'auto' },
    files: { 'strict.json': '{"default":"prompt"}' },
  })
  expect(await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')).toMatchObject({ exit: 0 })
  const paused = await project.holdpoint('--pause-on', 'approval', '--policy', 'strict.json', '-o', 'json', 'go')
  expect(paused.exit).toBe(10)
})

test('HOLDPOINT_ACTOR is who asked and who decided', async () => {
  await using project = await aProject({ script: oneCall })
  const paused = await project.run(['--pause-on-approval', '-o', 'json', 'go'], { env: { HOLDPOINT_ACTOR: 'ben' } })
  const [call] = paused.json.pause_reason.pending_tool_calls
  await project.run(['-c', paused.json.checkpoint_id, '--approve', 'tc_1'], { env: { HOLDPOINT_ACTOR: 'cleo' } })
  expect((await project.messages(paused.json.session_id))[0]).toMatchObject({ role: 'user', author: 'ben' })
  expect((await project.holdpoint('show', call.hold_id, '--json')).json.decision).toMatchObject({
    decided_by: 'cleo',
    surface: 'cli',
  })
})
