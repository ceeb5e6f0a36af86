/** A policy that asks is not passed over in silence. */
import { expect, test } from 'vitest'
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

test.each([
  ['no policy', {}, []],
  ['a policy that lets it pass', { policy: { tools: { run_command: 'auto' } } }, []],
] as const)('with %s there is no warning', async (_, options, flags) => {
  await using project = await aProject({ script: [ONE, 'Done.'], ...options })
  const { json, stderr } = await project.holdpoint('-o', 'json', ...flags, 'go')
  expect([json.warnings, stderr]).toEqual([undefined, ''])
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
