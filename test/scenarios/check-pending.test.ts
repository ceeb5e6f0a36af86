import { expect, test } from 'vitest'
import { defineAgent, defineTool, openHoldpoint } from '../../src/index.ts'
import { openDatabase } from '../open-database.ts'
import { journalOf } from './journal.ts'
import { aProject, type Finished, type Project } from './project.ts'
import { wholeProject } from './whole-project.ts'

interface Written {
  readonly name?: string
  readonly instructions?: string
  readonly amount?: string
  readonly required?: readonly string[]
  readonly description?: string
  readonly policy?: string
  readonly tools?: string
}

/** An agent file with one tool of its own, whose calls need approval. The rest of the file is no part of the tool. */
function support({
  name = 'support',
  instructions = 'Help with orders.',
  amount = 'number',
  required = ['amount'],
  description = 'Pay money back',
  policy = 'prompt',
  tools = "[refund, 'ask_human']",
}: Written = {}): string {
  const schema = { type: 'object', properties: { amount: { type: amount } }, required, additionalProperties: false }
  return `import { appendFile } from 'node:fs/promises'
import { defineAgent, defineTool } from 'holdpoint'
const refund = defineTool({
  name: 'refund',
  version: '1',
  description: ${JSON.stringify(description)},
  inputSchema: ${JSON.stringify(schema)},
  execute: async ({ amount }, { workdir }) => appendFile(workdir + '/effects.log', 'paid ' + amount + '\\n'),
})
export default defineAgent({
  name: ${JSON.stringify(name)},
  instructions: ${JSON.stringify(instructions)},
  tools: ${tools},
  policy: { default: ${JSON.stringify(policy)} },
})
`
}

const refund = { id: 'tc_1', name: 'refund', args: { amount: 7 } }
const question = { id: 'tc_1', name: 'ask_human', args: { question: 'Where to?' } }
const start = ['--agent', 'support.mjs', '--pause-on-approval', '-o', 'json', 'go']

/** A project in which a run waits for what `calls` ask. */
async function waiting(...calls: object[]): Promise<{ project: Project; paused: Finished }> {
  const script = [{ text: 'So:', calls }, 'Done.']
  const project = await aProject({ script, files: { 'support.mjs': support() } })
  const paused = await project.holdpoint(...start)
  expect(paused.exit).toBe(10)
  return { project, paused }
}

async function check(project: Project, ...args: string[]): Promise<Finished> {
  return project.holdpoint('check-pending', '--json', ...args)
}

test('P9: a call whose tool is as it was is ok', async () => {
  const { project, paused } = await waiting(refund)
  await using _ = project
  const [call] = paused.json.pause_reason.pending_tool_calls
  const expected = {
    status: 'ok',
    session_id: paused.json.session_id,
    run_id: paused.json.run_id,
    agent: 'support',
    hold_id: call.hold_id,
    kind: 'approval',
    call_id: 'tc_1',
    tool: 'refund',
    problem: null,
    differences: [],
    redefined: [],
  }
  for (const args of [[], ['--agent', 'support.mjs']]) {
    const checked = await check(project, ...args)
    expect(checked).toMatchObject({ exit: 0, stderr: '' })
    expect(checked.json).toEqual([expected])
  }
})

test('P9: a call whose tool has another schema is changed, with the difference, and is asked about again', async () => {
  const { project, paused } = await waiting(refund)
  await using _ = project
  await project.write('support.mjs', support({ amount: 'integer' }))
  const changes = [{ path: 'schema.properties.amount.type', was: 'number', is: 'integer' }]
  expect(await check(project)).toMatchObject({
    exit: 0,
    json: [{ status: 'changed', call_id: 'tc_1', differences: changes, redefined: ['tool'] }],
  })

  const asked = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(asked).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_1' }] } } })
  const [again] = asked.json.pause_reason.pending_tool_calls
  expect((await project.holdpoint('show', again.hold_id, '--json')).json.context).toEqual({ differences: changes })
  expect(await project.effects()).toEqual([])
  // What is asked now is about the tool as it is.
  expect(await check(project)).toMatchObject({ exit: 0, json: [{ status: 'ok', hold_id: again.hold_id }] })
})

test('P9: a call whose arguments no longer fit its tool is broken', async () => {
  const { project } = await waiting(refund)
  await using _ = project
  await project.write('support.mjs', support({ required: ['amount', 'order'] }))
  const problem = expect.stringMatching(/its arguments no longer fit refund: .*order/)
  expect(await check(project)).toMatchObject({ exit: 1, stderr: '', json: [{ status: 'broken', problem }] })
})

test('P9: a call whose tool is gone is broken', async () => {
  const { project } = await waiting(refund)
  await using _ = project
  await project.write('support.mjs', support({ tools: "['ask_human']" }))
  const broken = { status: 'broken', tool: 'refund', problem: 'the tool refund is gone.' }
  expect(await check(project)).toMatchObject({ exit: 1, json: [broken] })
})

const unusable: readonly [title: string, edit: (project: Project) => Promise<void>, says: string][] = [
  ['is gone', async project => project.write('support.mjs', '').then(() => remove(project)), 'support.mjs'],
  ['does not load', async project => project.write('support.mjs', 'throw new Error("no such luck")'), 'no such luck'],
  ['exports no agent', async project => project.write('support.mjs', 'export const x = 1'), 'exports no agent'],
  [
    'names a tool that is not there',
    async project => project.write('support.mjs', support({ tools: "['fly']" })),
    'fly',
  ],
]

async function remove(project: Project): Promise<void> {
  const { rm } = await import('node:fs/promises')
  await rm(project.path('support.mjs'))
}

test.for(unusable)('a pause whose agent file %s is broken, and it is said why', async ([, edit, says]) => {
  const { project } = await waiting(question)
  await using _ = project
  expect(await check(project)).toMatchObject({ exit: 0, json: [{ status: 'ok', kind: 'question' }] })
  await edit(project)
  const problem = expect.stringContaining(says)
  expect(await check(project)).toMatchObject({ exit: 1, stderr: '', json: [{ status: 'broken', problem }] })
})

test.for(unusable)('--agent with a file that %s is wrong use, also where nothing was run', async ([, edit, says]) => {
  await using project = await aProject()
  await edit(project)
  const refused = await check(project, '--agent', 'support.mjs')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused' } })
  expect(refused.json.error.message).toContain(says)
})

test('a question and a text pause are ok even where every tool is gone', async () => {
  const { project } = await waiting(question)
  await using _ = project
  await project.write('script.json', JSON.stringify(['Shall I?']))
  expect(await project.holdpoint(...start)).toMatchObject({ exit: 10 })
  await project.write('support.mjs', support({ tools: '[]' }))
  expect(await check(project)).toMatchObject({
    exit: 0,
    json: [
      { status: 'ok', kind: 'question', call_id: 'tc_1' },
      { status: 'ok', kind: 'input', call_id: null, tool: null },
    ],
  })
})

test('a call that waits for others of its batch is checked with them', async () => {
  const { project } = await waiting(question, { id: 'tc_2', name: 'refund', args: { amount: 7 } })
  await using _ = project
  await project.write('support.mjs', support({ policy: 'auto' }))
  await project.write('script.json', JSON.stringify([{ calls: [question, { ...refund, id: 'tc_2' }] }]))
  expect(await project.holdpoint(...start)).toMatchObject({ exit: 10 })
  await project.write('support.mjs', support({ tools: "['ask_human']" }))
  expect(await check(project)).toMatchObject({
    exit: 1,
    json: [
      { status: 'ok', call_id: 'tc_1' },
      { status: 'broken', call_id: 'tc_2', hold_id: expect.stringMatching(/^hold_/) },
      { status: 'ok', call_id: 'tc_1' },
      { status: 'broken', call_id: 'tc_2', hold_id: null, kind: null },
    ],
  })
})

test('what the run keeps anyway is noted and breaks nothing', async () => {
  const { project, paused } = await waiting(refund)
  await using _ = project
  await project.write('support.mjs', support({ instructions: 'Be brief.', policy: 'auto', description: 'Pay' }))
  expect(await check(project)).toMatchObject({
    exit: 0,
    json: [{ status: 'ok', problem: null, redefined: ['agent', 'policy', 'tool'] }],
  })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['paid 7'])
})

test('--agent checks the runs of that name or of that file, and no others', async () => {
  const { project, paused: first } = await waiting(refund)
  await using _ = project
  await project.write('other.mjs', support({ name: 'other' }))
  const second = await project.holdpoint('--agent', 'other.mjs', ...start.slice(2))
  expect(second.exit).toBe(10)
  await project.write('next/support.mjs', support({ tools: "['ask_human']" }))
  await project.write('next/third.mjs', support({ name: 'third' }))
  await project.write('other.mjs', support({ name: 'renamed' }))

  const runs = async (...args: string[]) => {
    const { json } = await check(project, ...args)
    return json.map(({ run_id, status }: { run_id: string; status: string }) => [run_id, status])
  }
  expect(await runs('--agent', 'next/support.mjs')).toEqual([[first.json.run_id, 'broken']])
  expect(await runs('--agent', 'next/third.mjs')).toEqual([])
  expect(await runs('--agent', 'other.mjs')).toEqual([[second.json.run_id, 'ok']])
  expect(await runs()).toEqual([
    [first.json.run_id, 'ok'],
    [second.json.run_id, 'ok'],
  ])
})

test('a run whose journal cannot be read is broken, and the others are still checked', async () => {
  const { project, paused } = await waiting(refund)
  await using _ = project
  expect(await project.holdpoint(...start)).toMatchObject({ exit: 10 })
  using database = openDatabase(project.path('.holdpoint/holdpoint.db'))
  database.prepare("UPDATE events SET data = '{' WHERE run_id = ? AND kind = 'model.answered'").run(paused.json.run_id)
  expect(await check(project)).toMatchObject({
    exit: 1,
    json: [
      { status: 'broken', run_id: paused.json.run_id, problem: expect.stringContaining('cannot be read') },
      { status: 'ok' },
    ],
  })
})

test('runs that do not wait are left out, and checking changes nothing', async () => {
  const { project, paused } = await waiting(refund)
  await using _ = project
  const before = await wholeProject(project)
  expect(await check(project)).toMatchObject({ exit: 0, json: [{ status: 'ok' }] })
  expect(await wholeProject(project)).toEqual(before)
  await project.holdpoint('-c', paused.json.checkpoint_id, '--reject', 'tc_1')
  expect(journalOf(project).at(-1)?.kind).toBe('run.finished')
  expect(await check(project)).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' })
})

test('people read what is broken and why, and how many', async () => {
  const { project } = await waiting({ ...refund, id: 'tc_\u202e1' })
  await using _ = project
  await project.write('support.mjs', support({ amount: 'integer', policy: 'auto' }))
  const changed = await project.holdpoint('check-pending')
  expect(changed).toMatchObject({ exit: 0, stderr: '' })
  for (const said of ['changed', 'refund (tc_\\u{202e}1)', 'schema.properties.amount.type: was "number", is "integer"'])
    expect(changed.stdout).toContain(said)
  expect(changed.stdout).toContain('note: the policy is not the one')
  await project.write('support.mjs', support({ tools: '[]' }))
  const broken = await project.holdpoint('check-pending')
  expect(broken).toMatchObject({ exit: 1, stderr: '' })
  expect(broken.stdout).toContain('    the tool refund is gone.\n')
  expect(broken.stdout).toMatch(/\n0 ok, 0 changed, 1 broken\n$/)
})

test('where nothing was run yet there is no store to check, and looking leaves nothing behind', async () => {
  await using project = await aProject()
  expect(await check(project)).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_store' } },
  })
  expect(await wholeProject(project)).toEqual({ files: {}, tables: {} })
})

test.for([
  ['a word', ['support'], 'invalid_arguments'],
  ['a store that is not there', ['--store', 'sqlite:nowhere/holdpoint.db'], 'no_store'],
  ['an agent file that is not there', ['--agent', 'missing.mjs'], 'invalid_agent'],
] as const)('%s is wrong use', async ([, args, code]) => {
  await using project = await aProject()
  expect(await check(project, ...args)).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code } } })
})

test('of many runs that wait none is left out and none is told of twice', async () => {
  const schema = { type: 'object' }
  const both = ['tc_1', 'tc_2'].map(id => ({ id, name: 'pay', arguments: '{}', metadata: null }))
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const agent = defineAgent({
    name: 'payer',
    model: { id: 'payer', answer: async () => ({ text: '', calls: both, usage, finish_reason: 'tool-calls' }) },
    tools: [defineTool({ name: 'pay', inputSchema: schema, needsApproval: true, execute: () => null })],
  })
  await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
  const started: string[] = []
  for (let count = 0; count < 230; count += 1) {
    const { id } = await holdpoint.start({ agent: 'payer', input: 'go' })
    await holdpoint.advance(id)
    started.push(id)
  }
  const checks = await Array.fromAsync(holdpoint.checkPending())
  expect(checks.map(({ run_id }) => run_id)).toEqual(started.flatMap(id => [id, id]))
  const calls = checks.map(({ run_id, call_id, status }) => `${run_id} ${call_id} ${status}`)
  expect(new Set(calls)).toEqual(new Set(started.flatMap(id => [`${id} tc_1 ok`, `${id} tc_2 ok`])))
})
