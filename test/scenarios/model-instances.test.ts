import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test } from 'vitest'
import { defineAgent, type ModelChoice } from '../../src/index.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { mockLanguageModel } from './mock-language-model.ts'
import { aProject, ended } from './project.ts'
import { advanced, ana, aWorkplace, following, isDurable, onlyHold, started, type Workplace } from './workplace.ts'

/** A process of its own (see `instance-process.mjs`). */
// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
async function inProcess(place: Workplace, env: Record<string, string>): Promise<any> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'instance-process.mjs')], {
    cwd: place.directory,
    env: { PATH: process.env['PATH'] ?? '', STORE: place.file, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return (await ended(child)).json
}

test.each(['v2', 'v3', 'v4'])(
  'a mock model of specification %s goes through a pause, a decision elsewhere and a resume in another process',
  async version => {
    await using place = await aWorkplace()
    const paused = await inProcess(place, { ACT: 'start', VERSION: version })
    expect(paused).toMatchObject({
      status: 'waiting',
      answer: 'Paying.',
      model: null,
      agent_model: 'mock-provider/mock-model-id',
      asked: [[0.3, { role: 'user', content: [{ type: 'text', text: 'go' }] }]],
    })
    await inProcess(place, { ACT: 'approve', RUN: paused.id })

    const refused = await inProcess(place, { ACT: 'advance', RUN: paused.id })
    expect(refused).toEqual({
      refused: {
        code: 'no_model',
        message:
          'The run asks mock-provider/mock-model-id, a model object that the definition of agent worker brought. The definition here brings none.',
        hint: expect.stringContaining('Name one as provider/model'),
      },
    })

    const done = await inProcess(place, { ACT: 'advance', RUN: paused.id, VERSION: version })
    expect(done).toMatchObject({
      status: 'done',
      answer: 'Paid.',
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
    })
    const [[temperature, result]] = done.asked
    expect(temperature).toBe(0.3)
    expect(result).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'tc_1', output: { type: 'json', value: { paid: true } } }],
    })
  },
)

const AGENT = (mock: string) => `
import { defineAgent } from 'holdpoint'
import { mockLanguageModel } from ${JSON.stringify(mock)}
const calls = [{ id: 'tc_1', name: 'run_command', args: { command: 'echo one >> effects.log' } }]
export default defineAgent({ name: 'mocked', model: mockLanguageModel('v3', [{ calls }, { text: 'Done.' }]) })
`
const MOCK = resolve(import.meta.dirname, 'mock-language-model.ts')

test('the command line resumes a run whose agent file brings the model, and names that model', async () => {
  await using project = await aProject({ files: { 'agent.ts': AGENT(MOCK) } })
  const paused = await project.holdpoint('--agent', 'agent.ts', '--pause-on-approval', '-o', 'json', 'go')
  expect(paused).toMatchObject({ exit: 10, json: { model: 'mock-provider/mock-model-id' } })
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', final_message: 'Done.', model: 'mock-provider/mock-model-id' },
  })
  expect(await project.effects()).toEqual(['one'])
})

test('a resume without the definition is refused before anything is decided, and --model takes its place', async () => {
  await using project = await aProject({
    files: {
      'agent.ts': AGENT(MOCK),
      'other.json': JSON.stringify(['', 'Done otherwise.']),
    },
  })
  const paused = await project.holdpoint('--agent', 'agent.ts', '--pause-on-approval', '-o', 'json', 'go')
  await project.write(
    'agent.ts',
    "import { defineAgent } from 'holdpoint'\nexport default defineAgent({ name: 'mocked' })",
  )
  const resume = ['-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json']
  const refused = await project.holdpoint(...resume)
  expect(refused).toMatchObject({
    exit: 2,
    json: { error: { code: 'no_model', message: expect.stringContaining('mock-provider/mock-model-id') } },
  })
  const done = await project.holdpoint(...resume, '--model', 'script:other.json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done otherwise.' } })
  expect(done.json.model).toMatch(/other\.json$/)
})

test('a run of an agent that is not known here says that the model is lost with it', async () => {
  await using project = await aProject()
  await using place = await aWorkplace({ model: mockLanguageModel('v4', [{ text: 'Done.' }]) })
  await using holdpoint = await place.open()
  await started(holdpoint)
  const { json } = await project.holdpoint('runs', '--json', '--store', `sqlite:${place.file}`)
  const resume = await project.holdpoint('-c', json[0].checkpoint_id, '--store', `sqlite:${place.file}`, '-o', 'json')
  expect(resume).toMatchObject({
    exit: 2,
    json: { error: { code: 'unknown_agent', message: expect.stringContaining('mock-provider/mock-model-id') } },
  })
})

test('another agent in a resume brings its model object', async () => {
  await using project = await aProject({
    script: [{ calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'true' } }] }, 'By the script.'],
    files: { 'agent.ts': AGENT(MOCK) },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const resume = ['-c', paused.json.checkpoint_id, '--approve', 'tc_1', '--agent', 'agent.ts', '-o', 'json']
  const done = await project.holdpoint(...resume)
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Done.', model: 'mock-provider/mock-model-id' } })
})

test('a plugin has another model asked, by object or by name, for one inference', async () => {
  const main = mockLanguageModel('v4', [{ calls: [{ id: 'a', name: 'A', args: {} }] }, { text: 'By the main model.' }])
  const other = mockLanguageModel('v2', [{ text: '' }, { text: 'By the other model.' }])
  const second: ModelChoice[] = [other, 'script:other.json']
  for (const model of second) {
    await using place = await aWorkplace(it => ({
      model: main,
      tools: [it.tool('A')],
      plugins: [{ name: 'router', hooks: { beforeInference: ({ steps }) => (steps === 1 ? { model } : undefined) } }],
    }))
    await using project = await aProject({ files: { 'other.json': JSON.stringify(['', 'By the script.']) } })
    await using holdpoint = await place.open({ open: { directory: project.directory } })
    const { id, thread_id } = await started(holdpoint)
    const view = await advanced(holdpoint, id)
    expect(view.answer).toBe(model === other ? 'By the other model.' : 'By the script.')
    await using follower = following(holdpoint, thread_id)
    await follower.first(event => event.kind === 'run.finished')
    const asked = follower.told.filter(isDurable).flatMap(it => (it.kind === 'model.answered' ? [it.data.model] : []))
    expect(asked).toEqual([
      'mock-provider/mock-model-id',
      model === other ? 'mock-provider/mock-model-id' : 'script:other.json',
    ])
  }
})

test('text of a model object is told piece by piece, and usage is counted', async () => {
  await using place = await aWorkplace({ model: mockLanguageModel('v3', [{ text: 'Hello' }]) })
  const pieces: string[] = []
  await using holdpoint = await place.open({
    open: { onEvent: event => void (event.kind === 'text.delta' && pieces.push(event.data.delta)) },
  })
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect(pieces).toEqual(['H', 'e', 'l', 'l', 'o'])
})

const compatible = (baseURL: string) => createOpenAICompatible({ name: 'groq', baseURL, apiKey: 'k' })('llama')

test('a model object of a provider package is retried as those by name are', async () => {
  await using server = await openOpenAiServer({
    turns: [{ calls: [{ id: 'a', name: 'A', args: {} }] }, 'Done.'],
    fail: [{ status: 503 }, null, 'cut'],
  })
  await using place = await aWorkplace(it => ({ model: compatible(server.url), tools: [it.held('A')] }))
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(server.requests).toHaveLength(4)
})

test('a refused key of a model object points to the definition, because no variable holds it', async () => {
  await using server = await openOpenAiServer({ turns: ['never'], fail: [{ status: 401 }] })
  await using place = await aWorkplace({ model: compatible(server.url) })
  await using holdpoint = await place.open()
  const { termination } = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(termination).toMatchObject({
    type: 'error',
    code: 'model_auth',
    message: expect.stringContaining('groq.chat/llama did not accept the API key'),
    hint: "Check the model in the agent's definition.",
  })
})

test('an abort stops a model object that does not listen', async () => {
  const deaf = { ...mockLanguageModel('v3', []), doStream: () => new Promise<never>(() => {}) }
  await using place = await aWorkplace({ model: deaf })
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  const advancing = advanced(holdpoint, id, { signal: AbortSignal.timeout(200) })
  expect(await advancing).toMatchObject({ status: 'running' })
})

test.each<[unknown, string]>([
  [mockLanguageModel('v1', []), 'the model has the specification v1, and only v2, v3, v4 are known'],
  [createOpenAICompatible({ name: 'x', baseURL: 'http://127.0.0.1' }), 'the model is a function; call it with a name'],
  [{ specificationVersion: 'v3', provider: 'p', modelId: 'm' }, 'it needs provider, modelId and doStream'],
  [{ name: 'gpt-5' }, 'the model is {"name":"gpt-5"}; it must be a name such as provider/model'],
])('what is no model is refused in the definition', (model, problem) => {
  expect(() => defineAgent({ name: 'a', model: model as ModelChoice })).toThrow(
    expect.objectContaining({ code: 'invalid_agent', message: expect.stringContaining(problem) }),
  )
})

test('reasoning is refused for a model object whose specification does not know it', () => {
  const model = mockLanguageModel('v3', [])
  expect(() => defineAgent({ name: 'a', model, reasoning: 'high' })).toThrow('which knows no reasoning')
  expect(defineAgent({ name: 'a', model: mockLanguageModel('v4', []), reasoning: 'high' }).model).toBeDefined()
})
