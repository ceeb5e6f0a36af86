/** A policy that asks is not passed over in silence. */
import { describe, expect, test } from 'vitest'
import { aProject, effect } from './project.ts'

const ONE = { calls: [effect('tc_1', 'one')] }
const TWO = { calls: [effect('tc_2', 'two')] }
const SAYS_PROMPT = { tools: { run_command: 'prompt' } }

const WARNING = {
  code: 'nobody_asked',
  message: expect.stringContaining('run_command (tools.run_command: prompt)'),
  hint: expect.stringContaining('--pause-on approval'),
}

test('a run that does not ask although the policy says so tells it in its document', async () => {
  await using project = await aProject({ script: [ONE, TWO, 'Done.'], policy: SAYS_PROMPT })
  const done = await project.holdpoint('-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', warnings: [WARNING] } })
  expect(await project.effects()).toEqual(['one', 'two'])
})

test('in text mode it tells it once, on stderr', async () => {
  await using project = await aProject({ script: [ONE, TWO, 'Done.'], policy: SAYS_PROMPT })
  const done = await project.holdpoint('go')
  expect(done).toMatchObject({ exit: 0, stdout: 'Done.\n' })
  expect(done.stderr).toMatch(/^holdpoint: warning: .*run_command \(tools\.run_command: prompt\)/)
  expect(done.stderr.match(/warning/g)).toHaveLength(1)
  expect(done.stderr).toContain('--pause-on approval')
})

test('a stream of events ends with it', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
  const { stdout } = await project.holdpoint('-o', 'stream-json', 'go')
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(last).toMatchObject({ kind: 'outcome', warnings: [WARNING] })
})

const RULE = { tool: 'run_command', match: { command: 'echo *' }, policy: 'prompt' }
const AGENT = (head: string) => `---\nname: helper\n${head}\n---\nYou help.\n`
const MODULE = `
import { defineAgent, defineTool } from 'holdpoint'
const refund = defineTool({ name: 'refund', description: 'Pay back', inputSchema: { type: 'object' }, needsApproval: () => true, execute: async () => 'paid' })
export default defineAgent({ name: 'support', tools: [refund] })
`

test.each([
  ['a rule with a match', { policy: { default: 'auto', rules: [RULE] } }, []],
  ['a default in a file', { policy: { default: 'prompt' } }, []],
  ['an agent', { files: { 'a.md': AGENT('policy: { tools: { run_command: prompt } }') } }, ['--agent', 'a.md']],
  [
    "a tool's needsApproval",
    { script: [{ calls: [{ id: 'tc_1', name: 'refund', args: {} }] }, 'Done.'], files: { 'a.ts': MODULE } },
    ['--agent', 'a.ts'],
  ],
] as const)('%s that says prompt counts as said', async (_, options, flags) => {
  await using project = await aProject({ script: [ONE, 'Done.'], ...options })
  const { json } = await project.holdpoint('-o', 'json', ...flags, 'go')
  expect(json).toMatchObject({ outcome: 'completed', warnings: [{ code: 'nobody_asked' }] })
})

test('without any written policy it tells the calls that the default asks about, and what sets a project up', async () => {
  await using project = await aProject({ script: [ONE, TWO, 'Done.'] })
  const { json, exit } = await project.holdpoint('-a', '-o', 'json', 'go')
  const rules = ['run_command (default: prompt)']
  expect([exit, json.warnings]).toEqual([0, [expect.objectContaining({ code: 'nobody_asked', calls: 2, rules })]])
  const { stderr } = await project.holdpoint('-a', 'go')
  expect(stderr).toContain('holdpoint init')
  expect(stderr.match(/warning/g)).toHaveLength(1)
  expect(await project.effects()).toEqual(['one', 'two', 'one', 'two'])
})

test('a policy that lets it pass leaves no warning, and no policy is needed for tools that only look', async () => {
  const look = { calls: [{ id: 'tc_1', name: 'list_files', args: {} }] }
  for (const options of [
    { script: [ONE, 'Done.'], policy: { tools: { run_command: 'auto' } } },
    { script: [look, 'Done.'] },
  ]) {
    await using project = await aProject(options)
    const { json, stderr } = await project.holdpoint('-o', 'json', 'go')
    expect([json.outcome, json.warnings, stderr]).toEqual(['completed', undefined, ''])
  }
})

describe('with "unasked": "refuse"', () => {
  const refusing = { script: [ONE, 'Done.'], config: { unasked: 'refuse' } }

  test('nothing runs that a person was not asked about, the model is told, and the run goes on', async () => {
    await using project = await aProject(refusing)
    const { exit, json } = await project.holdpoint('-a', '-o', 'json', 'go')
    expect(exit).toBe(0)
    expect(json).toMatchObject({
      outcome: 'completed',
      warnings: [{ code: 'calls_refused', calls: 1, rules: ['default: prompt'] }],
    })
    expect(await project.effects()).toEqual([])
    const { stdout } = await project.holdpoint('threads', 'show', json.session_id, '--json')
    expect(stdout).toContain('default: prompt, and nobody could be asked: this run does not pause for approval.')
  })

  test('--fail-on-refusal makes that an exit of 1', async () => {
    await using project = await aProject(refusing)
    expect(await project.holdpoint('-a', '--fail-on-refusal', '-o', 'json', 'go')).toMatchObject({ exit: 1 })
  })

  test('a run that asks is asked, and what policy lets pass runs', async () => {
    await using project = await aProject(refusing)
    expect(await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
    await using open = await aProject({ ...refusing, policy: { tools: { run_command: 'auto' } } })
    expect(await open.holdpoint('-a', '-o', 'json', 'go')).toMatchObject({ exit: 0 })
    expect(await open.effects()).toEqual(['one'])
  })

  test('another word for it is refused, with the two that there are', async () => {
    await using project = await aProject({ ...refusing, config: { unasked: 'perhaps' } })
    const { exit, json } = await project.holdpoint('-a', '-o', 'json', 'go')
    expect([exit, json.error.message]).toEqual([2, expect.stringContaining('"run" or "refuse"')])
  })

  test('holdpoint init writes it', async () => {
    await using project = await aProject({})
    await project.holdpoint('init')
    expect(await project.read('.holdpoint/config.json')).toContain('"unasked": "refuse"')
  })
})

test('a run that asks has no warning, before and after the approval', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
  const paused = await project.holdpoint('-o', 'json', '--pause-on', 'approval', 'go')
  expect(paused).toMatchObject({ exit: 10 })
  const done = await project.holdpoint('-o', 'json', '-c', paused.json.checkpoint_id, '--approve', 'tc_1')
  expect(done).toMatchObject({ exit: 0 })
  expect([paused.json.warnings, done.json.warnings]).toEqual([undefined, undefined])
})

test('the audit log says by which rule a person would have been asked', async () => {
  await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
  const { json } = await project.holdpoint('-o', 'json', 'go')
  const explained = await project.holdpoint('audit', 'explain', json.run_id)
  expect(explained.stdout).toContain('run_command (tools.run_command: prompt): nobody was asked')
})

test.each([
  [SAYS_PROMPT, 'asks', 'runs_unasked'],
  [{ tools: { run_command: 'auto' } }, 'runs', 'runs'],
  [{ tools: { run_command: 'never' } }, 'asks', 'refused'],
  [{ tools: { run_command: 'never' }, on_never: 'reject' }, 'refused', 'refused'],
] as const)('policy check of %j tells what happens with and without the flag', async (policy, asking, not) => {
  await using project = await aProject({ script: [ONE, 'Done.'], policy })
  const { json } = await project.holdpoint('policy', 'check', 'echo one', '--json')
  expect(json).toMatchObject({ with_pause_on_approval: asking, without_pause_on: not })
  const { stdout } = await project.holdpoint('policy', 'check', 'echo one')
  expect(stdout).toContain('with --pause-on-approval')
})

test('policy check knows what the project pauses on', async () => {
  await using project = await aProject({ policy: SAYS_PROMPT, config: { pause_on: ['approval'] } })
  const { json } = await project.holdpoint('policy', 'check', 'echo one', '--json')
  expect(json).toMatchObject({ with_pause_on_approval: 'asks', without_pause_on: 'asks' })
})
