import { expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { aProject, effect } from './project.ts'

const support = `import { defineAgent, defineTool } from 'holdpoint'

interface Refund { order: string; amount: number }

const refund = defineTool({
  name: 'refund',
  description: 'Pay money back',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' }, amount: { type: 'number' } },
    required: ['order', 'amount'],
    additionalProperties: false,
  },
  needsApproval: args => (args as unknown as Refund).amount > 100,
  async execute(args, { toolCallId, idempotencyKey, workdir }) {
    const { order, amount } = args as unknown as Refund
    const { appendFile } = await import('node:fs/promises')
    await appendFile(workdir + '/effects.log', order + ' ' + amount + '\\n')
    return { refunded: amount, by: toolCallId, key: idempotencyKey.length > 0 }
  },
})

export default defineAgent({
  name: 'support',
  instructions: 'You help customers.',
  model: 'script:script.json',
  tools: [refund, 'read_file'],
})
`

const refunds = (...amounts: number[]) => [
  {
    calls: amounts.map((amount, index) => ({
      id: `tc_${index + 1}`,
      name: 'refund',
      args: { order: `o${index + 1}`, amount },
    })),
  },
  'Refunded.',
]

test('an agent in TypeScript brings its own instructions, model and tools', async () => {
  await using project = await aProject({ files: { 'agent.ts': support, 'script.json': JSON.stringify(refunds(7)) } })
  const done = await project.holdpoint('--agent', 'agent.ts', '-o', 'json', 'refund order 7')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed', final_message: 'Refunded.' } })
  expect(await project.effects()).toEqual(['o1 7'])
  const { json } = await project.holdpoint('threads', 'show', done.json.session_id, '--json')
  expect(json.system).toBe('You help customers.')
  expect(json.messages[2].content).toEqual({ refunded: 7, by: 'tc_1', key: true })
})

test('a tool of an agent says itself which calls need approval, and the resume finds the agent again', async () => {
  await using project = await aProject({
    files: { 'agents/agent.ts': support, 'agents/x': '', 'script.json': JSON.stringify(refunds(7, 700)) },
  })
  const paused = await project.holdpoint('--agent', 'agents/agent.ts', '--pause-on', 'approval', '-o', 'json', 'refund')
  expect(paused).toMatchObject({ exit: 10, stderr: '' })
  expect(paused.json.pause_reason.pending_tool_calls).toMatchObject([
    { id: 'tc_1', name: 'refund', requires_approval: false },
    { id: 'tc_2', name: 'refund', requires_approval: true },
  ])
  await using elsewhere = await aProject()
  const store = `sqlite:${project.path('.holdpoint/holdpoint.db')}`
  const done = await elsewhere.holdpoint(
    '-c',
    paused.json.checkpoint_id,
    '--store',
    store,
    '--approve',
    'tc_2',
    '-o',
    'json',
  )
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['o1 7', 'o2 700'])
  expect(historyFaults(await project.messages(done.json.session_id))).toEqual([])
})

test('tools that an agent does not name cannot be called', async () => {
  await using project = await aProject({
    files: { 'agent.ts': support, 'script.json': JSON.stringify([{ calls: [effect('tc_1', 'one')] }, 'Done.']) },
  })
  const done = await project.holdpoint('--agent', 'agent.ts', '-o', 'json', 'go')
  const [, , result] = await project.messages(done.json.session_id)
  expect(result.content).toMatch(/^UNKNOWN_TOOL: .*refund, read_file/)
  expect(await project.effects()).toEqual([])
})

test('P9: a tool whose schema changed while its call waited asks again before it runs', async () => {
  await using project = await aProject({ files: { 'agent.ts': support, 'script.json': JSON.stringify(refunds(700)) } })
  const paused = await project.holdpoint('--agent', 'agent.ts', '--pause-on', 'approval', '-o', 'json', 'refund')
  await project.write(
    'agent.ts',
    support.replace("amount: { type: 'number' }", "amount: { type: 'number', description: 'in cents' }"),
  )
  const again = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(again).toMatchObject({
    exit: 10,
    json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1', requires_approval: true }] } },
  })
  expect(await project.effects()).toEqual([])
  const done = await project.holdpoint('-c', again.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['o1 700'])
})

const PLACES: readonly [title: string, files: Record<string, string>][] = [
  ['without a package.json', {}],
  ['beside a package.json that names no module type', { 'package.json': '{"name":"theirs"}' }],
  ['beside a package.json for CommonJS', { 'package.json': '{"name":"theirs","type":"commonjs"}' }],
]

test.for(PLACES)('an agent module is loaded %s, with nothing on stderr', async ([, files]) => {
  const agent = `import { defineAgent } from 'holdpoint'\nexport const agent = defineAgent({ name: 'small', model: 'script:script.json' })\n`
  for (const name of [
    'agent.mts',
    'agent.mjs',
    ...(files['package.json']?.includes('commonjs') ? [] : ['agent.ts', 'agent.js']),
  ]) {
    await using project = await aProject({ files: { ...files, [name]: agent, 'script.json': '["Done."]' } })
    const done = await project.holdpoint('--agent', name, '-o', 'json', 'go')
    expect(done).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'Done.' } })
  }
})

const careful = `---
name: careful
model: script:script.json
tools: [read_file, run_command]
policy:
  default: auto
  rules:
    - { tool: run_command, match: { command: "echo one*" }, policy: prompt }
stop:
  - { type: max_rounds, rounds: 2 }
pause_on: [approval]
---
# You are careful

Read before you write.
`

test('an agent in Markdown is its front matter, and its body is its instructions', async () => {
  const calls = [{ id: 'tc_1', name: 'write_file', args: { path: 'a', content: '' } }, effect('tc_2', 'one')]
  await using project = await aProject({
    files: {
      'careful.md': careful,
      'script.json': JSON.stringify([{ calls }, { calls: [effect('tc_3', 'two')] }, 'Done.']),
    },
  })
  const paused = await project.holdpoint('--agent', 'careful.md', '-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, stderr: '' })
  expect(paused.json.pause_reason.pending_tool_calls).toMatchObject([{ id: 'tc_2', requires_approval: true }])

  const stopped = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json')
  expect(stopped).toMatchObject({
    exit: 1,
    json: { outcome: 'stopped', error: { code: 'max_rounds' }, steps_taken: 2 },
  })
  expect(await project.effects()).toEqual(['one', 'two'])
  const { json } = await project.holdpoint('threads', 'show', paused.json.session_id, '--json')
  expect(json.system).toBe('# You are careful\n\nRead before you write.')
  expect(json.messages[2].content).toMatch(/^UNKNOWN_TOOL: /)
})

test('Markdown without front matter is instructions, and the agent is named after its file', async () => {
  await using project = await aProject({ script: ['Done.'], files: { 'helper.md': 'Help.\n' } })
  const { json } = await project.holdpoint('--agent', 'helper.md', '-o', 'json', 'go')
  expect((await project.holdpoint('runs', '--json')).json).toMatchObject([{ agent: 'helper' }])
  expect((await project.holdpoint('threads', 'show', json.session_id, '--json')).json.system).toBe('Help.')
})

const BROKEN: readonly [title: string, file: string, text: string, says: string][] = [
  ['that does not parse', 'agent.ts', 'export default {', 'agent.ts'],
  ['that throws', 'agent.mjs', `throw new Error('no luck today')`, 'no luck today'],
  ['that exports no agent', 'agent.mjs', 'export const x = 1', 'exports no agent'],
  ['whose agent has an unknown option', 'agent.mjs', `export default { name: 'a', instruction: 'x' }`, 'instruction'],
  ['whose agent has no name that can be used', 'agent.mjs', `export default { name: 'a b' }`, 'name'],
  [
    'whose agent has an unknown tool',
    'agent.mjs',
    `export default { name: 'a', model: 'script:script.json', tools: ['fly'] }`,
    'fly',
  ],
  ['that imports what is not there', 'agent.mjs', `import 'not-there'`, 'not-there'],
  ['whose front matter has an unknown key', 'agent.md', '---\nmodle: a/b\n---\nx', 'modle'],
  ['whose front matter is no YAML', 'agent.md', '---\na: [\n---\nx', 'YAML'],
  ['whose front matter has a broken policy', 'agent.md', '---\npolicy: { default: perhaps }\n---\nx', 'perhaps'],
  ['that stops on something unknown', 'agent.md', '---\nstop: [{ type: boredom }]\n---\nx', 'boredom'],
]

test.for(BROKEN)('an agent file %s is refused before anything happens', async ([, file, text, says]) => {
  await using project = await aProject({ script: ['Done.'], files: { [file]: text } })
  const refused = await project.holdpoint('--agent', file, '-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused' } })
  expect(refused.json.error.message).toContain(says)
  expect(project.exists('.holdpoint')).toBe(false)
})
