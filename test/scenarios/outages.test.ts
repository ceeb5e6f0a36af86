import { expect, onTestFinished, test } from 'vitest'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import type { Misbehaviour, ModelServer } from '../../src/testing/servers/model-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { agentNamed, agents, endAgents, until } from './agents/agents.ts'
import { aReceiver, eventsAt } from './notices/receiver.ts'
import { isAlive } from './processes.ts'
import { aProject, effect, type Project } from './project.ts'

/** A provider that is asked again in `ms`. */
const busy = (ms: number): Misbehaviour => ({ status: 529, headers: { 'retry-after-ms': `${ms}` } })
const HOUR = 3_600_000
const TURNS = [{ text: 'Working.', calls: [effect('tc_1', 'done once')] }, 'All done.']

async function against(
  fail: readonly (Misbehaviour | null)[],
  policy: 'auto' | 'prompt' = 'auto',
  config: object = {},
): Promise<{ server: ModelServer; project: Project }> {
  const server = await openOpenAiServer({ turns: TURNS, fail })
  const project = await aProject({
    env: { HOLDPOINT_MODEL: 'openai-chat/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-test-1234567890' },
    policy: { default: policy },
    config,
  })
  onTestFinished(async () => {
    await endAgents(project)
    await project[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  return { server, project }
}

test('a run of a worker waits without a process until its provider takes requests, and people see until when', async () => {
  const { server, project } = await against([null, busy(HOUR)], 'prompt')
  const paused = await project.run(['--pause-on-approval', '-o', 'json', 'go'])
  expect(paused.exit).toBe(10)
  await project.holdpoint('approve', 'tc_1')
  const worked = await project.holdpoint('work', '--once')
  expect(worked.exit).toBe(0)
  expect(worked.stdout).toMatch(/^run_\w+ waits for the provider until (\d{4}-\d\d-\d\d )?\d\d:\d\d$/m)

  const [row] = (await project.holdpoint('runs', '--json')).json
  expect(row).toMatchObject({ status: 'running', standing: 'delayed', stuck: null, termination: null })
  expect(Date.parse(row.retry_at) - Date.now()).toBeGreaterThan(HOUR / 2)
  const shown = await project.holdpoint('show', row.run_id)
  expect(shown.stdout, 'times are local').not.toMatch(/\d{4}-\d\d-\d\dT.*Z\.$/m)
  expect(shown.stdout).toMatch(/It waits for the provider until (\d{4}-\d\d-\d\d )?\d\d:\d\d: /)
  expect((await project.holdpoint('work', '--once')).exit).toBe(0)
  expect(server.requests, 'it is not asked before its time').toHaveLength(2)

  const done = await project.holdpoint('-c', row.run_id, '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'All done.' } })
  expect(await project.effects()).toEqual(['done once'])
})

test('a headless command whose provider names a later time ends at once with it, and can go on', async () => {
  const { server, project } = await against([null, busy(HOUR)])
  const failed = await project.run(['-a', '-o', 'json', 'go'])
  expect(failed).toMatchObject({ exit: 1, json: { outcome: 'failed', error: { code: 'retry_later' } } })
  expect(Date.parse(failed.json.error.retry_at) - Date.now()).toBeGreaterThan(HOUR / 2)
  expect(server.requests).toHaveLength(2)
  const done = await project.holdpoint('-c', failed.json.checkpoint_id, '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'All done.' } })
})

test('an agent outlasts its provider, takes a message meanwhile, and goes on', async () => {
  const { server, project } = await against([null, busy(HOUR)])
  expect(await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')).toMatchObject({ exit: 0 })
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(2)
  await expect
    .poll(async () => (await agents(project, 'show', 'docs', '--json')).json.because, { timeout: 20_000 })
    .toContain('it waits for the provider until')
  const sent = await agents(project, 'send', 'docs', 'and hurry', '--json')
  expect(sent).toMatchObject({ exit: 0, json: { outcome: 'queued' } })
  await until(project, 'docs', 'idle')
  expect(await project.effects()).toEqual(['done once'])
  const { session_id } = (await agents(project, 'show', 'docs', '--json')).json
  const said = (await project.messages(session_id)).filter(({ role }) => role === 'user').map(({ content }) => content)
  expect(said).toEqual(['begin', 'and hurry'])
})

test('the process of a task that nobody watches waits for its provider', async () => {
  const { project } = await against([null, busy(6_000)])
  expect(await agents(project, 'spawn', '--name', 'docs', 'go')).toMatchObject({ exit: 0 })
  await until(project, 'docs', 'done')
  expect(await project.effects()).toEqual(['done once'])
})

test.each([
  ['a message', ['agents', 'send', 'docs', 'and hurry'], 'done'],
  ['a cancel', ['cancel', 'RUN'], 'killed'],
] as const)('%s wakes the process of a task that waits for its provider', async (_, words, status) => {
  const { server, project } = await against([null, busy(HOUR)])
  expect(await agents(project, 'spawn', '--name', 'docs', 'go')).toMatchObject({ exit: 0 })
  await expect
    .poll(async () => (await agents(project, 'show', 'docs', '--json')).json.because, { timeout: 20_000 })
    .toContain('it waits for the provider until')
  const { run_id, pid } = await agentNamed(project, 'docs')
  expect(await project.holdpoint(...words.map(word => (word === 'RUN' ? run_id : word)))).toMatchObject({ exit: 0 })
  await until(project, 'docs', status)
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
  expect(server.requests).toHaveLength(status === 'done' ? 3 : 2)
})

async function told(again: readonly (Misbehaviour | null)[], want: object = {}) {
  const receiver = await aReceiver()
  const { server, project } = await against(again, 'prompt', {
    notify: {
      base_url: 'https://holds.example.org',
      channels: { webhook: { url: receiver.url, allow_private: true, content: 'full', ...want } },
    },
  })
  onTestFinished(async () => receiver[Symbol.asyncDispose]())
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  const paused = await project.run(['--pause-on-approval', '-o', 'json', 'go'])
  // Notices begin with what waits then.
  await project.holdpoint('notices', 'send')
  await project.holdpoint('approve', 'tc_1')
  return { receiver, server, project, run_id: paused.json.run_id }
}

test('a program hears once of a run that waits for its provider for longer than a minute, and until when', async () => {
  const { receiver, project, run_id } = await told([null, busy(HOUR)])
  expect((await project.holdpoint('work', '--once')).exit).toBe(0)
  await project.holdpoint('notices', 'send')
  const notices = () => receiver.posts.filter(({ json }) => json.type === 'run.waits_for_model')
  expect(notices()).toHaveLength(1)
  const { data } = notices()[0]?.json ?? {}
  expect(data).toMatchObject({ run_id, agent: expect.any(String), failures: 1, message: expect.any(String) })
  expect(data.url).toBe(`https://holds.example.org/threads/${data.thread_id}`)
  expect(Date.parse(data.retry_at) - Date.parse(data.since)).toBeGreaterThan(HOUR / 2)
  expect((await project.holdpoint('notices', '--json')).json[0]).toMatchObject({
    ...{ event: 'waits_for_model', status: 'sent', hold_id: null, run_id },
  })
  const kinds = (await project.holdpoint('audit', '--json')).stdout
  expect(kinds).toContain('"model.unavailable"')
  await project.holdpoint('notices', 'send')
  expect(notices()).toHaveLength(1)
})

test('nobody hears of a short wait, nor of one that is over, nor without having asked for it', async () => {
  const short = await told([null, busy(5_000)])
  await short.project.holdpoint('work', '--once')
  await short.project.holdpoint('notices', 'send')
  expect(eventsAt(short.receiver)).not.toContain('run.waits_for_model')

  const others = await told([null, busy(HOUR)], { events: ['opened'] })
  await others.project.holdpoint('work', '--once')
  await others.project.holdpoint('notices', 'send')
  expect(eventsAt(others.receiver)).toEqual(['hold.opened'])
})

const FALLBACK = { fallback_models: ['anthropic/claude-test'] }

async function withFallback(fail: readonly (Misbehaviour | null)[], standIn: readonly (Misbehaviour | null)[] = []) {
  const usual = await openOpenAiServer({ turns: TURNS, fail })
  const other = await openAnthropicServer({ turns: TURNS, fail: standIn })
  const project = await aProject({
    env: {
      ...{ HOLDPOINT_MODEL: 'openai-chat/gpt-test', OPENAI_BASE_URL: usual.url, OPENAI_API_KEY: 'sk-test-1234567890' },
      ...{ ANTHROPIC_BASE_URL: other.url, ANTHROPIC_API_KEY: 'sk-test-1234567890' },
    },
    policy: { default: 'auto' },
    config: { ...FALLBACK, give_up_after_seconds: 4 },
  })
  onTestFinished(async () => {
    for (const each of [project, usual, other]) await each[Symbol.asyncDispose]()
  })
  return { usual, other, project }
}

test('another model stands in for one that failed three times, and the document says so', async () => {
  const { usual, other, project } = await withFallback([null, 'reset', 'reset', 'reset'])
  const done = await project.run(['-a', '-o', 'json', 'go'])
  expect(done).toMatchObject({
    exit: 0,
    json: { final_message: 'All done.', warnings: [{ code: 'model_switched', models: ['anthropic/claude-test'] }] },
  })
  expect(await project.effects()).toEqual(['done once'])
  expect(other.requests).toHaveLength(1)
  expect(other.requests.flatMap(({ violations }) => violations)).toEqual([])
  expect(usual.requests).toHaveLength(4)
})

test.each([1, 2, 5])(
  'fallback_after %i: another model is asked after so many failures, however short the waits',
  async most => {
    const { usual, other, project } = await withFallback([null, ...Array.from({ length: 9 }, () => busy(1))])
    await project.write('.holdpoint/config.json', JSON.stringify({ ...FALLBACK, fallback_after: most }))
    expect(await project.run(['-a', '-o', 'json', 'go'])).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
    expect([usual.requests.length, other.requests.length]).toEqual([1 + most, 1])
  },
)

test('another model gets a request that the usual one refuses, and a run ends with the error of the last', async () => {
  const refused = { status: 400 }
  const { usual, other, project } = await withFallback([null, refused])
  expect(await project.run(['-a', '-o', 'json', 'go'])).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect([usual.requests.length, other.requests.length]).toEqual([2, 1])

  const both = await withFallback([refused], [refused])
  const failed = await both.project.run(['-a', '-o', 'json', 'go'])
  expect(failed).toMatchObject({ exit: 1, json: { error: { code: 'model_rejected' } } })
  expect(failed.json.error.message).toContain('anthropic/claude-test')
})

test('a model that may have to stand in is one that can be asked', async () => {
  const { project } = await withFallback([])
  const refused = await project.run(['-o', 'json', 'go'], { env: { ANTHROPIC_API_KEY: '' } })
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code: 'missing_api_key' } } })
})

test('agents resume goes on with an agent whose model failed, and not with one that is done', async () => {
  const { project } = await against([null, { status: 401 }])
  expect(await agents(project, 'spawn', '--name', 'docs', 'go')).toMatchObject({ exit: 0 })
  const failed = await until(project, 'docs', 'failed')
  expect(await agents(project, 'resume', 'docs', '--json')).toMatchObject({ exit: 0, json: { name: 'docs' } })
  const done = await until(project, 'docs', 'done')
  expect(done.session_id).toBe(failed.session_id)
  expect(await project.effects()).toEqual(['done once'])
  const said = (await project.messages(done.session_id)).filter(({ role }) => role === 'user')
  expect(said.map(({ content }) => content)).toEqual(['go'])
  expect(await project.run(['agents', 'resume', 'docs', '--json'])).toMatchObject({
    exit: 2,
    json: { error: { code: 'nothing_to_go_on_with' } },
  })
})
