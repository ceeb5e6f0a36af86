import { expect, test } from 'vitest'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import type { ModelServer, ModelServerOptions } from '../../src/testing/servers/model-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { openResponsesServer } from '../../src/testing/servers/responses-server.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, command, effect, listed, type Project, type ProjectOptions } from './project.ts'

interface Wire {
  readonly model: string
  readonly open: (options: ModelServerOptions) => Promise<ModelServer>
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** The results of calls in the newest request, as the provider was told them: text by call id. */
  readonly results: (server: ModelServer) => Readonly<Record<string, string>>
}

// biome-ignore-start lint/suspicious/noExplicitAny: wire bodies are checked by the tests that read them
function openAiResults(server: ModelServer): Record<string, string> {
  const messages: any[] = server.requests.at(-1)?.body.messages
  const results = messages.filter(message => message.role === 'tool')
  return Object.fromEntries(results.map(result => [result.tool_call_id, textOf(result.content)]))
}

function responsesResults(server: ModelServer): Record<string, string> {
  const items: any[] = server.requests.at(-1)?.body.input
  const results = items.filter(item => item.type === 'function_call_output')
  return Object.fromEntries(results.map(result => [result.call_id, textOf(result.output)]))
}

function anthropicResults(server: ModelServer): Record<string, string> {
  const messages: any[] = server.requests.at(-1)?.body.messages
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const results = blocks.filter(block => block.type === 'tool_result')
  return Object.fromEntries(results.map(result => [result.tool_use_id, textOf(result.content)]))
}

/** The AI SDK wraps errors for some providers; what is inside counts. */
function textOf(content: any): string {
  const text = typeof content === 'string' ? content : content.map((part: any) => part.text).join('')
  return text.startsWith('{"error":') ? JSON.parse(text).error : text
}
// biome-ignore-end lint/suspicious/noExplicitAny: the end of the wire bodies

const WIRES: readonly Wire[] = [
  {
    model: 'openai/gpt-test',
    open: openOpenAiServer,
    env: url => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test' }),
    results: openAiResults,
  },
  {
    model: 'openai-responses/gpt-5-test',
    open: openResponsesServer,
    env: url => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test' }),
    results: responsesResults,
  },
  {
    model: 'openai-compatible/llama-test',
    open: openOpenAiServer,
    env: url => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
    results: openAiResults,
  },
  {
    model: 'anthropic/claude-test',
    open: openAnthropicServer,
    env: url => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test' }),
    results: anthropicResults,
  },
]

async function against(server: ModelServer, wire: Wire, options: ProjectOptions = {}): Promise<Project> {
  return aProject({ ...options, env: { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) } })
}

function expectInOrder(server: ModelServer): void {
  expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
}

const START = ['-a', '--pause-on-approval', '-o', 'json', 'Deploy it, please.']

/** One answer of each kind that a model may give. */
const DEPLOY = [
  {
    text: 'I am about to apply the changes.',
    calls: [effect('tc_1', 'applied'), effect('tc_2', 'deleted'), command('tc_3', 'echo out; echo err >&2; exit 3')],
    usage: { input: 100, output: 20 },
  },
  {
    calls: [
      { id: 'tc_4', name: 'drop_database', args: { name: 'all' } },
      { id: 'tc_5', name: 'run_command', raw_args: '{"command": "echo broken' },
      { id: 'tc_6', name: 'run_command', args: { comand: 'echo misspelled' } },
      { id: 'tc_7', name: 'read_file', args: { path: 'notes.txt' } },
    ],
    usage: { input: 200, output: 30 },
  },
  { text: 'Deployment complete.', usage: { input: 300, output: 10 } },
]

test.each(WIRES)('the main job goes through on $model, and the provider gets every message in order', async wire => {
  await using server = await wire.open({ turns: DEPLOY })
  await using project = await against(server, wire, { files: { 'notes.txt': 'Nothing special.' } })
  const paused = await project.run(START)
  expect(paused).toMatchObject({
    exit: 10,
    stderr: '',
    json: { agent_message: 'I am about to apply the changes.', model: wire.model, usage: { total_tokens: 120 } },
  })
  expect(paused.json.pause_reason.pending_tool_calls.map((call: { id: string }) => call.id)).toEqual([
    'tc_1',
    'tc_2',
    'tc_3',
  ])
  expect(await project.effects()).toEqual([])

  const decide = ['--approve', 'tc_1', '--approve', 'tc_3', '--reject', 'tc_2', '--reason', 'keep the data']
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, ...decide, '-o', 'json')
  expect(done).toMatchObject({
    exit: 0,
    stderr: '',
    json: { outcome: 'completed', final_message: 'Deployment complete.', steps_taken: 3, usage: { total_tokens: 660 } },
  })
  expect(await project.effects()).toEqual(['applied'])

  expectInOrder(server)
  expect(server.requests).toHaveLength(3)
  expect(wire.results(server)).toEqual({
    tc_1: expect.stringContaining('"exit_code":0'),
    tc_2: 'TOOL_CALL_REJECTED: keep the data',
    tc_3: expect.stringMatching(/"exit_code":3.*out.*err/s),
    tc_4: expect.stringMatching(/^UNKNOWN_TOOL: .*drop_database/),
    tc_5: expect.stringMatching(/^INVALID_ARGUMENTS: /),
    tc_6: expect.stringMatching(/^INVALID_ARGUMENTS: .*comand/),
    tc_7: expect.stringContaining('Nothing special.'),
  })
  expect(historyFaults(await project.messages(done.json.session_id))).toEqual([])
})

test.each(WIRES)('the ids that $model counts anew in every turn stay apart', async wire => {
  const again = { calls: [{ ...effect('call_0', 'once') }, { ...effect('call_1', 'twice') }] }
  await using server = await wire.open({ turns: [again, again, 'Done.'] })
  await using project = await against(server, wire, { policy: { default: 'auto' } })
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done).toMatchObject({ exit: 0, json: { steps_taken: 3 } })
  expect(await project.effects()).toEqual(['once', 'twice', 'once', 'twice'])
  expectInOrder(server)
  expect(Object.keys(wire.results(server))).toHaveLength(4)
})

test.each(WIRES)('a question is answered on $model, and its answer is the result of the call', async wire => {
  const ask = { id: 'tc_1', name: 'ask_human', args: { question: 'Which region?', choices: ['eu', 'us'] } }
  await using server = await wire.open({ turns: [{ calls: [ask] }, 'To eu, then.'] })
  await using project = await against(server, wire)
  const paused = await project.run(START)
  expect(paused).toMatchObject({ exit: 10, json: { pause_reason: { questions: [{ question: 'Which region?' }] } } })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', 'eu')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'To eu, then.' } })
  expect(wire.results(server)).toEqual({ tc_1: 'eu' })
  expectInOrder(server)
})

test.each(WIRES)('a text pause on $model is answered, and the conversation goes on in a next run', async wire => {
  await using server = await wire.open({ turns: ['Shall I?', 'I did.', 'You are welcome.'] })
  await using project = await against(server, wire)
  const paused = await project.run(START)
  expect(paused).toMatchObject({
    exit: 10,
    json: { pause_reason: { type: 'input_required' }, agent_message: 'Shall I?' },
  })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', 'yes, proceed')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'I did.' } })
  const more = await project.holdpoint('-c', done.json.checkpoint_id, '-o', 'json', 'Thanks!')
  expect(more).toMatchObject({ exit: 0, json: { final_message: 'You are welcome.' } })
  expectInOrder(server)
  expect(server.requests).toHaveLength(3)
})

test.each(WIRES)('a run that two empty answers of $model ended goes on with a text', async wire => {
  await using server = await wire.open({ turns: [{ text: '', calls: [] }, 'Here I am.'] })
  await using project = await against(server, wire)
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done).toMatchObject({ exit: 1, json: { termination: { code: 'empty_answer' } } })
  const more = await project.holdpoint('-c', done.json.checkpoint_id, '-o', 'json', 'Are you there?')
  expect(more).toMatchObject({ exit: 1, json: { termination: { code: 'empty_answer' } } })
  expectInOrder(server)
})

test.each(WIRES)('instructions, unusual text and unusual arguments reach $model as they are', async wire => {
  const odd = 'a "quoted" \\ line\nand $(another) 👩‍👩‍👧 \u2028 end'
  const write = { id: 'tc_1', name: 'write_file', args: { path: 'odd.txt', content: odd } }
  await using server = await wire.open({ turns: [{ text: odd, calls: [write] }, 'Done.'] })
  await using project = await against(server, wire, { policy: { default: 'auto' }, files: { 'system.txt': odd } })
  const done = await project.run(['-a', '-o', 'json', '--system-prompt-file', 'system.txt', '--', odd])
  expect(done.exit).toBe(0)
  expect(await project.read('odd.txt')).toBe(odd)
  const { body } = server.requests.at(-1) ?? {}
  const messages = body.messages ?? body.input
  for (const text of [JSON.stringify(messages), JSON.stringify(body)])
    expect(text).toContain(JSON.stringify(odd).slice(1, -1))
  expect(JSON.stringify(body.system ?? messages[0])).toContain(JSON.stringify(odd).slice(1, -1))
  expectInOrder(server)
})

test('a run that was begun with one provider goes on with another', async () => {
  const [openai, , anthropic] = WIRES as [Wire, Wire, Wire]
  const odd = { id: 'call.1:odd/id', name: 'run_command', args: { command: 'echo applied >> effects.log' } }
  await using one = await openai.open({ turns: [{ text: 'Soon.', calls: [odd] }] })
  await using other = await anthropic.open({ turns: ['Not asked for.', 'Done elsewhere.'] })
  await using project = await against(one, openai)
  const paused = await project.run(START)
  const done = await project.run(
    ['-c', paused.json.checkpoint_id, '--approve-all', '--model', anthropic.model, '-o', 'json'],
    { env: anthropic.env(other.url) },
  )
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done elsewhere.', model: anthropic.model } })
  expectInOrder(other)
  expect(await project.effects()).toEqual(['applied'])
})

test.each([
  ['openai/gpt-test', 'missing_api_key', 'OPENAI_API_KEY'],
  ['anthropic/claude-test', 'missing_api_key', 'ANTHROPIC_API_KEY'],
  ['openai-compatible/llama-test', 'missing_base_url', 'OPENAI_COMPATIBLE_BASE_URL'],
  ['nobody/knows', 'unknown_model', 'anthropic'],
])('%s without what it needs is refused with what to set, before anything is written', async (model, code, named) => {
  await using project = await aProject()
  const refused = await project.holdpoint('-a', '-o', 'json', '--model', model, 'go')
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code } } })
  expect(`${refused.json.error.message} ${refused.json.error.hint}`).toContain(named)
  expect(await listed(project, 'runs')).toEqual([])
})
