import { expect, test } from 'vitest'
import { type BeforeInference, defineAgent, type Plugin } from '../../src/index.ts'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { aProject, effect } from './project.ts'
import { advanced, ana, aWorkplace, call, onlyHold, started } from './workplace.ts'

const TURNS = [{ calls: [effect('tc_1', 'one')] }, 'Done.']

const WIRES = [
  {
    model: 'openai-compatible/llama-test',
    open: openOpenAiServer,
    env: (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
    settings: { temperature: 0.2, top_p: 0.9, provider_options: { openaiCompatible: { user: 'customer-7' } } },
    wire: {
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 321,
      stop: ['END'],
      tool_choice: 'auto',
      reasoning_effort: 'low',
      user: 'customer-7',
    },
  },
  {
    model: 'anthropic/claude-sonnet-4-5',
    open: openAnthropicServer,
    env: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test' }),
    settings: { temperature: 0.2, provider_options: { anthropic: { metadata: { userId: 'customer-7' } } } },
    wire: {
      temperature: 0.2,
      max_tokens: 321,
      stop_sequences: ['END'],
      tool_choice: { type: 'auto' },
      metadata: { user_id: 'customer-7' },
    },
  },
]

test.each(WIRES)('$model is asked as the agent file says, before and after a resume', async wire => {
  await using server = await wire.open({ turns: TURNS })
  const settings = { ...wire.settings, max_output_tokens: 321, stop_sequences: ['END'], tool_choice: 'auto' }
  const reasoning = 'reasoning_effort' in wire.wire ? { reasoning: 'low' } : {}
  const head = JSON.stringify({ ...settings, ...reasoning, model: wire.model })
  await using project = await aProject({
    files: { 'agent.md': `---\n${head}\n---\nBe brief.\n` },
    config: { max_output_tokens: 5 },
    env: wire.env(server.url),
  })
  const paused = await project.holdpoint('--agent', 'agent.md', '--pause-on-approval', '-o', 'json', 'go')
  expect(paused.exit).toBe(10)
  await project.write('agent.md', '---\ntemperature: 1\n---\nBe brief.\n')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(server.requests.map(({ body }) => body)).toMatchObject([wire.wire, wire.wire])

  const shown = await project.holdpoint('show', done.json.run_id, '--json')
  expect(shown.json.profile.model_settings).toEqual({ ...settings, ...reasoning })
})

test('the configuration of a project says how models are asked if the agent does not', async () => {
  await using server = await openOpenAiServer({ turns: ['Done.', 'Done.'] })
  await using project = await aProject({
    files: { 'own.md': '---\ntemperature: 0.1\ntop_p: null\n---\n' },
    config: { model: 'openai-compatible/m', temperature: 1.5, top_p: 0.5 },
    env: { OPENAI_COMPATIBLE_BASE_URL: server.url },
  })
  await project.holdpoint('go')
  await project.holdpoint('--agent', 'own.md', 'go')
  const [first, second] = server.requests.map(({ body }) => body)
  expect(first).toMatchObject({ temperature: 1.5, top_p: 0.5 })
  expect(second).toMatchObject({ temperature: 0.1 })
  expect(second).not.toHaveProperty('top_p')
})

test('another agent in a resume brings its own settings, and the others stay', async () => {
  await using server = await openOpenAiServer({ turns: TURNS })
  await using project = await aProject({
    files: { 'one.md': '---\ntemperature: 0.1\ntop_p: 0.5\n---\n', 'two.md': '---\ntemperature: 0.9\n---\n' },
    env: { OPENAI_COMPATIBLE_BASE_URL: server.url, HOLDPOINT_MODEL: 'openai-compatible/m' },
  })
  const { json } = await project.holdpoint('--agent', 'one.md', '--pause-on-approval', '-o', 'json', 'go')
  await project.holdpoint('-c', json.checkpoint_id, '--approve', 'tc_1', '--agent', 'two.md')
  expect(server.requests.map(({ body }) => [body.temperature, body.top_p])).toEqual([
    [0.1, 0.5],
    [0.9, 0.5],
  ])
})

test('a choice of a tool that the agent does not have is refused before anything starts', async () => {
  const head = 'tools: [read_file]\ntool_choice: { type: tool, tool_name: list_files }'
  await using project = await aProject({ script: ['Done.'], files: { 'agent.md': `---\n${head}\n---\n` } })
  expect(await project.holdpoint('--agent', 'agent.md', '-o', 'json', 'go')).toMatchObject({
    exit: 2,
    json: { error: { code: 'unknown_tool', message: 'There is no tool "list_files".' } },
  })
  expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
})

test('check-pending notes that the agent would be asked otherwise now', async () => {
  await using project = await aProject({ script: TURNS, files: { 'agent.md': '---\ntemperature: 0.1\n---\n' } })
  await project.holdpoint('--agent', 'agent.md', '--pause-on-approval', 'go')
  const before = await project.holdpoint('check-pending', '--json')
  await project.write('agent.md', '---\ntemperature: 0.2\n---\n')
  const after = await project.holdpoint('check-pending', '--json')
  expect([before.json, after.json]).toMatchObject([[{ redefined: [] }], [{ status: 'ok', redefined: ['agent'] }]])
})

test('no choice of a tool is sent if there are no tools', async () => {
  await using server = await openOpenAiServer({ turns: ['Done.'] })
  await using project = await aProject({
    files: { 'agent.md': '---\ntools: []\ntool_choice: required\n---\n' },
    env: { OPENAI_COMPATIBLE_BASE_URL: server.url, HOLDPOINT_MODEL: 'openai-compatible/m' },
  })
  expect(await project.holdpoint('--agent', 'agent.md', 'go')).toMatchObject({ exit: 0 })
  expect(server.requests[0]?.body).not.toHaveProperty('tool_choice')
})

const REFUSED = [
  ['temprature: 1', 'known: name, model, temperature, max_output_tokens'],
  ['temperature: 3', 'temperature must be a number from 0 to 2, not 3'],
  ['maxOutputTokens: 9', 'front matter has a key "maxOutputTokens"'],
  ['tool_choice: { type: tool, name: x }', 'toolChoice must be one of auto, none, required'],
] as const

test.each(REFUSED)('front matter with %s is refused', async (head, problem) => {
  await using project = await aProject({ script: ['Done.'], files: { 'agent.md': `---\n${head}\n---\n` } })
  const refused = await project.holdpoint('--agent', 'agent.md', '-o', 'json', 'go')
  expect(refused).toMatchObject({
    exit: 2,
    json: { error: { code: 'invalid_agent', message: expect.stringContaining(problem) } },
  })
})

test.each([
  [{ temprature: 1 }, 'temprature: known keys are $schema, model, store'],
  [{ topP: 1 }, 'topP: known keys are'],
  [{ top_p: 2 }, 'top_p must be a number from 0 to 1, not 2'],
])('a configuration with %j is refused', async (config, problem) => {
  await using project = await aProject({ script: ['Done.'], config })
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({
    exit: 2,
    json: { error: { code: 'invalid_config', message: expect.stringContaining(problem) } },
  })
})

test.each([
  [{ temprature: 1 }, 'it has an option "temprature"; known: name, instructions, model, temperature'],
  [{ max_output_tokens: 9 }, 'it has an option "max_output_tokens"'],
  [{ topP: -1 }, 'topP must be a number from 0 to 1, not -1'],
])('a definition with %j is refused', (options, problem) => {
  expect(() => defineAgent({ name: 'a', ...options })).toThrow(
    expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(problem) }),
  )
})

const changing = (beforeInference: NonNullable<Plugin['hooks']['beforeInference']>): Plugin => ({
  name: 'changing',
  hooks: { beforeInference },
})

test('a plugin sees how the model is asked and changes it for one inference', async () => {
  await using server = await openOpenAiServer({ turns: [{ calls: [call('a', 'A')] }, 'Done.'] })
  const seen: unknown[] = []
  const plugin = changing((view, { temperature, toolChoice }) => {
    seen.push([temperature, toolChoice])
    return view.steps === 0 ? { toolChoice: { type: 'tool', toolName: 'A' }, temperature: null, topP: 0.5 } : undefined
  })
  await using place = await aWorkplace(it => ({
    model: 'openai-compatible/m',
    temperature: 0.4,
    tools: [it.held('A')],
    plugins: [plugin],
    open: { env: { OPENAI_COMPATIBLE_BASE_URL: server.url } },
  }))
  await using first = await place.open()
  const { id } = await started(first)
  await advanced(first, id)
  await first.decide((await onlyHold(first)).id, { verdict: 'approve', ...ana })
  await using second = await place.open({ temperature: 1 })
  expect(await advanced(second, id)).toMatchObject({ status: 'done', answer: 'Done.' })

  const [asked, resumed] = server.requests.map(({ body }) => body)
  expect(asked).toMatchObject({ tool_choice: { type: 'function', function: { name: 'A' } }, top_p: 0.5 })
  expect(asked).not.toHaveProperty('temperature')
  expect(resumed).toMatchObject({ temperature: 0.4 })
  expect(resumed).not.toHaveProperty('tool_choice')
  expect(seen).toEqual([
    [0.4, undefined],
    [0.4, undefined],
  ])
})

test.each([
  [{ temprature: 1 }, 'it returned "temprature" from beforeInference, which is not known there; known: system, tools'],
  [{ temperature: 7 }, 'temperature must be a number from 0 to 2, not 7'],
])('a plugin that returns %j fails, and the run ends with what is wrong', async (result, problem) => {
  await using place = await aWorkplace({ script: ['Done.'], plugins: [changing(() => result as BeforeInference)] })
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view.termination).toMatchObject({ code: 'plugin_failed', message: expect.stringContaining(problem) })
})
