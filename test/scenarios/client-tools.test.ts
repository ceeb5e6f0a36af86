import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { historyFaults } from './history-faults.ts'
import { aProject, type Project } from './project.ts'

const PRELOAD = resolve(import.meta.dirname, 'crash-at-commit.mjs')

/** Tools as the AI SDK writes them: without `execute` they run elsewhere. */
const AGENT = `import { defineAgent } from 'holdpoint'
const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const outputSchema = { type: 'object', properties: { sky: { type: 'string' } }, required: ['sky'] }
export default defineAgent({
  name: 'forecaster',
  tools: {
    weather: { description: 'Tells the weather', inputSchema, outputSchema },
    locate: { description: 'Tells where the user is', inputSchema: { type: 'object' } },
    note: { description: 'Writes it down', inputSchema: { type: 'object' }, execute: async () => {
      const { appendFile } = await import('node:fs/promises')
      await appendFile('effects.log', 'noted\\n')
      return 'noted'
    } },
  },
  policy: { default: 'prompt' },
})
`
const weather = { id: 'tc_1', name: 'weather', args: { city: 'Rome' } }
const start = ['--agent', 'forecaster.mjs', '--pause-on-approval', '-o', 'json', 'go']

async function aForecaster(...calls: object[]): Promise<Project> {
  return aProject({ script: [{ text: 'Looking.', calls }, 'Done.'], files: { 'forecaster.mjs': AGENT } })
}

test('a call of a tool that runs elsewhere pauses until somebody gives its result', async () => {
  await using project = await aForecaster(weather)
  const paused = await project.holdpoint(...start)
  expect(paused).toMatchObject({
    exit: 10,
    stderr: '',
    json: {
      pause_reason: {
        type: 'tool_approval_required',
        pending_tool_calls: [
          {
            id: 'tc_1',
            name: 'weather',
            arguments: { city: 'Rome' },
            requires_approval: true,
            client_tool: true,
            response_schema: { required: ['sky'] },
          },
        ],
        questions: [],
      },
    },
  })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--answer', 'tc_1={"sky":"blue"}', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })
  const messages = await project.messages(done.json.session_id)
  expect(messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'tc_1', content: { sky: 'blue' }, is_error: false })
  expect(historyFaults(messages)).toEqual([])
})

test('a result that does not fit the schema of its tool is refused with its place, and the call still waits', async () => {
  await using project = await aForecaster(weather)
  const { checkpoint_id } = (await project.holdpoint(...start)).json
  for (const result of ['blue', '{"sky":7}']) {
    const refused = await project.holdpoint('-c', checkpoint_id, '--answer', `tc_1=${result}`, '-o', 'json')
    expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'invalid_answer' } } })
  }
  expect(await project.holdpoint('-c', checkpoint_id, '--answer', 'tc_1={"sky":"grey"}')).toMatchObject({ exit: 0 })
})

test.for([
  ['{"at":[1,2]}', { at: [1, 2] }],
  ['in the garden', 'in the garden'],
] as const)('where any result will do, %s is taken for what it is', async ([text, content]) => {
  await using project = await aForecaster({ id: 'tc_1', name: 'locate', args: {} })
  const { checkpoint_id } = (await project.holdpoint(...start)).json
  const done = await project.holdpoint('-c', checkpoint_id, '--answer', `tc_1=${text}`, '-o', 'json')
  expect((await project.messages(done.json.session_id))[2]).toMatchObject({ role: 'tool', content })
})

test('--reject refuses a call that runs elsewhere, and the model is told why', async () => {
  await using project = await aForecaster(weather)
  const { checkpoint_id } = (await project.holdpoint(...start)).json
  const done = await project.holdpoint('-c', checkpoint_id, '--reject', 'tc_1', '--reason', 'no network', '-o', 'json')
  expect(done).toMatchObject({ exit: 0 })
  expect((await project.messages(done.json.session_id))[2]).toMatchObject({
    content: 'TOOL_CALL_REJECTED: no network',
    is_error: true,
  })
})

test.for([
  ['--approve', ['--approve', 'tc_1'], 'verdict_not_possible', 'respond (gives its result)'],
  ['--approve-all', ['--approve-all'], 'nothing_to_decide', 'tc_1'],
  ['--edit', ['--edit', 'tc_1={"city":"Oslo"}'], 'verdict_not_possible', 'reject (refuses the call)'],
  ['a text', ['it is sunny'], 'calls_pending', '--answer'],
] as const)('%s says nothing to a call that runs elsewhere', async ([, args, code, hint]) => {
  await using project = await aForecaster(weather)
  const { checkpoint_id } = (await project.holdpoint(...start)).json
  const refused = await project.holdpoint('-c', checkpoint_id, ...args, '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code, hint: expect.stringContaining(hint) } } })
})

test('the hint of a mixed batch approves what needs approval and leaves room for the result', async () => {
  await using project = await aForecaster(weather, { id: 'tc_2', name: 'note', args: {} })
  const { checkpoint_id, resume_hint } = (await project.holdpoint(...start)).json
  expect(resume_hint).toBe(`holdpoint -c ${checkpoint_id} --answer 'tc_1=its result' --approve tc_2`)
  const shown = await project.holdpoint('-c', checkpoint_id)
  expect(shown.stdout).toContain('tc_1  weather  (runs elsewhere: give its result with --answer ID=JSON')

  const both = ['--answer', 'tc_1={"sky":"blue"}', '--approve', 'tc_2']
  expect(await project.holdpoint('-c', checkpoint_id, ...both)).toMatchObject({ exit: 0 })
  expect(await project.effects()).toEqual(['noted'])
})

test('to give the same result again after a crash goes on, another one is too late', async () => {
  await using project = await aForecaster(weather)
  const { json } = await project.holdpoint(...start)
  const [hold] = json.pause_reason.pending_tool_calls
  const given = ['-c', json.checkpoint_id, '--answer', 'tc_1={"sky":"blue"}', '-o', 'json']
  const killed = await project.run(given, { node: ['--import', PRELOAD], env: { CRASH_AT: 'after:1' } })
  expect(killed.signal).toBe('SIGKILL')
  const other = ['-c', json.checkpoint_id, '--answer', `${hold.hold_id}={"sky":"grey"}`, '-o', 'json']
  expect(await project.run(other)).toMatchObject({ exit: 2, json: { error: { code: 'already_decided' } } })
  expect(await project.run(given)).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
})

test('without a pause on questions a tool that runs elsewhere is neither offered nor waited for', async () => {
  await using project = await aForecaster(weather)
  const done = await project.holdpoint('--agent', 'forecaster.mjs', '--pause-on', 'approval', '-o', 'json', 'go')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect((await project.messages(done.json.session_id))[2]).toMatchObject({
    is_error: true,
    content: expect.stringContaining('TOOL_CALL_FORBIDDEN'),
  })
})
