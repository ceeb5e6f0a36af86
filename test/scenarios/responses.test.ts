import { expect, test } from 'vitest'
import { openResponsesServer } from '../../src/testing/index.ts'
import type { ModelServer, ModelServerOptions } from '../../src/testing/servers/model-server.ts'
import { aProject, effect, type Project, type ProjectOptions } from './project.ts'
import { expectInOrder } from './wires.ts'

const THOUGHT = 'Is it safe?'
const TURNS = [{ text: 'I apply it now.', calls: [effect('call_1', 'applied')] }, 'It is applied.', 'Yes, I am sure.']

const served = (options: Partial<ModelServerOptions> = {}) =>
  openResponsesServer({ turns: TURNS, thought: THOUGHT, ...options })

const projectAt = (server: ModelServer, options: ProjectOptions = {}): Promise<Project> =>
  aProject({
    ...options,
    env: { HOLDPOINT_MODEL: 'openai-responses/gpt-5-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' },
  })

/** Pauses at the approval, goes on in another process, and says one more thing in a third. */
async function played(project: Project, ...options: readonly string[]): Promise<void> {
  const paused = await project.holdpoint(...options, '-a', '--pause-on-approval', '-o', 'json', 'Apply it.')
  expect(paused).toMatchObject({ exit: 10, stderr: '', json: { agent_message: 'I apply it now.' } })
  expect(await project.effects()).toEqual([])
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'call_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'It is applied.' } })
  expect(await project.effects()).toEqual(['applied'])
  const more = await project.holdpoint('-c', done.json.checkpoint_id, '-o', 'json', 'Sure?')
  expect(more).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'Yes, I am sure.' } })
}

const reasoning = (number: number) => ({
  type: 'reasoning',
  id: `rs_${number}`,
  encrypted_content: `encrypted ${number}: ${THOUGHT}`,
  summary: [{ type: 'summary_text', text: THOUGHT }],
})

test('thought, text, call, approval, effect: OpenAI gets each item back, and keeps nothing', async () => {
  await using server = await served()
  await using project = await projectAt(server)
  await played(project)
  expectInOrder(server, 3)
  for (const { body } of server.requests)
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(server.requests[2]?.body.input.slice(1)).toMatchObject([
    { role: 'user' },
    reasoning(1),
    { role: 'assistant', content: 'I apply it now.', phase: 'commentary' },
    { type: 'function_call', call_id: 'call_1', name: 'run_command' },
    { type: 'function_call_output', call_id: 'call_1' },
    reasoning(2),
    { role: 'assistant', content: 'It is applied.', phase: 'final_answer' },
    { role: 'user' },
  ])
})

test('with store: true the items go back by their ids', async () => {
  await using server = await served()
  const agent = '---\nprovider_options: { openai: { store: true } }\n---\nBe quick.\n'
  await using project = await projectAt(server, { files: { 'keeper.md': agent } })
  await played(project, '--agent', 'keeper.md')
  expectInOrder(server, 3)
  expect(server.requests[2]?.body.input.slice(1)).toMatchObject([
    { role: 'user' },
    { type: 'item_reference', id: 'rs_1' },
    { type: 'item_reference', id: 'msg_1' },
    { type: 'function_call', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1' },
    { type: 'item_reference', id: 'rs_2' },
    { type: 'item_reference', id: 'msg_2' },
    { role: 'user' },
  ])
})

test('a setting that the model does not have is told once in a run', async () => {
  await using server = await served()
  const agent = '---\ntemperature: 0.5\n---\nBe quick.\n'
  await using project = await projectAt(server, { files: { 'warm.md': agent } })
  const flags = ['--agent', 'warm.md', '-a', '--pause-on-approval']
  const paused = await project.holdpoint(...flags, '-o', 'json', 'Apply it.')
  const message = 'openai-responses/gpt-5-test: temperature: temperature is not supported for reasoning models.'
  expect(paused.json.warnings).toMatchObject([{ code: 'model_warning', message }])
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'call_1', '--verbose')
  expect(done.exit).toBe(0)
  expect(done.stderr.split(message)).toHaveLength(2)
  expectInOrder(server, 2)
})
