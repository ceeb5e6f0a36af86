import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import type { Misbehaviour, ModelServer, ModelServerOptions } from '../../src/testing/servers/model-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, effect, type Project } from './project.ts'

interface Wire {
  readonly model: string
  readonly open: (options: ModelServerOptions) => Promise<ModelServer>
  readonly env: (url: string) => Readonly<Record<string, string>>
}

const WIRES: Readonly<Record<string, Wire>> = {
  openai: {
    model: 'openai/gpt-test',
    open: openOpenAiServer,
    env: url => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'sk-test-1234567890' }),
  },
  anthropic: {
    model: 'anthropic/claude-test',
    open: openAnthropicServer,
    env: url => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test-1234567890' }),
  },
}

const wires = Object.values(WIRES)

/** The first answer asks for a call that leaves a mark; whatever fails, fails behind it. */
const TURNS = [{ text: 'Working.', calls: [effect('tc_1', 'done once')] }, 'All done.']

/** The usual minute is long for a test. */
const PATIENCE = { give_up_after_seconds: 4 }

async function against(server: ModelServer, { model, env }: Wire): Promise<Project> {
  const policy = { default: 'auto' }
  return aProject({ env: { HOLDPOINT_MODEL: model, ...env(server.url) }, policy, config: PATIENCE })
}

const RUN = ['-a', '-o', 'json', 'go']
/** As short as a provider can ask for; otherwise the waits of the backoff are 500, 1000 and 2000 ms. */
const SOON = { 'retry-after-ms': '1' }
const status = (code: number): Misbehaviour => ({ status: code, headers: SOON })

const PASSING: readonly { readonly name: string; readonly failures: readonly Misbehaviour[] }[] = [
  { name: 'limits the rate', failures: [status(429), status(429), status(429)] },
  { name: 'answers 500, 503 and 529', failures: [status(500), status(503), status(529)] },
  { name: 'hangs up', failures: ['reset'] },
  { name: 'hangs up in its answer', failures: ['break'] },
  { name: 'cuts its answer', failures: ['cut'] },
  { name: 'fails in its answer', failures: ['overload'] },
]

const onEachWire = <T>(cases: readonly T[]): (T & { model: string; wire: Wire })[] =>
  cases.flatMap(each => wires.map(wire => ({ ...each, model: wire.model, wire })))

test.concurrent.each(onEachWire(PASSING))(
  'a run on $model goes through when its server $name for a while',
  async ({ wire, failures }) => {
    await using server = await wire.open({ turns: TURNS, fail: [null, ...failures] })
    await using project = await against(server, wire)
    const done = await project.run(RUN)
    expect(done).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'All done.', steps_taken: 2 } })
    expect(await project.effects()).toEqual(['done once'])
    expect(server.requests).toHaveLength(2 + failures.length)
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
    // Half an answer is no history.
    const messages = await project.messages(done.json.session_id)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  },
)

/** The tries within `PATIENCE`, and where the provider asks for shorter waits. */
const [TRIES, MOST_TRIES] = [4, 8]
const always = (failure: Misbehaviour, tries = TRIES): readonly Misbehaviour[] =>
  Array.from({ length: tries }, () => failure)

const LASTING: readonly { readonly name: string; readonly failures: readonly Misbehaviour[]; readonly code: string }[] =
  [
    { name: 'always limits the rate', failures: always(status(429), MOST_TRIES), code: 'rate_limited' },
    { name: 'always answers 500', failures: always(status(500), MOST_TRIES), code: 'model_overloaded' },
    { name: 'always cuts its answers', failures: always('cut'), code: 'stream_cut' },
    { name: 'always falls silent in its answers', failures: always('stall'), code: 'model_timeout' },
    { name: 'always hangs', failures: always('hang'), code: 'model_timeout' },
    { name: 'does not take the key', failures: [status(401)], code: 'model_auth' },
    { name: 'does not know the model', failures: [status(404)], code: 'model_not_found' },
    { name: 'refuses the request', failures: [status(400)], code: 'model_rejected' },
  ]

test.concurrent.each(onEachWire(LASTING))(
  'a run on $model whose server $name fails with a code and a hint, and -c goes on where it was',
  async ({ wire, failures, code }) => {
    await using server = await wire.open({ turns: TURNS, fail: [null, ...failures] })
    await using project = await against(server, wire)
    const failed = await project.run(RUN, {
      env: code === 'model_timeout' ? { HOLDPOINT_MODEL_TIMEOUT_MS: '1500' } : {},
    })
    expect(failed).toMatchObject({
      exit: 1,
      stderr: '',
      json: {
        outcome: 'failed',
        error: { code, message: expect.stringContaining(wire.model), hint: expect.any(String) },
        termination: { type: 'error', code },
        checkpoint_id: expect.stringMatching(/^cp_/),
        steps_taken: 1,
      },
    })
    const { checkpoint_id, session_id, error } = failed.json
    expect(error.hint).toContain(`-c ${checkpoint_id}`)
    expect(failed.stdout).not.toContain('sk-test')
    expect(server.requests).toHaveLength(1 + failures.length)
    expect(historyFaults(await project.messages(session_id))).toEqual([])

    const done = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { final_message: 'All done.', session_id, steps_taken: 2 } })
    expect(await project.effects()).toEqual(['done once'])
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
  },
)

test.concurrent.each(wires)(
  'a run on $model whose server is gone fails as unreachable, and -c goes on when it is back',
  async wire => {
    await using server = await wire.open({ turns: TURNS })
    await using project = await against(server, wire)
    const gone = await deadAddress()
    const failed = await project.run(RUN, { env: wire.env(gone) })
    expect(failed).toMatchObject({
      exit: 1,
      json: { outcome: 'failed', error: { code: 'model_unreachable' }, steps_taken: 0 },
    })
    expect(failed.json.error.hint).toContain('BASE_URL')
    const done = await project.holdpoint('-c', failed.json.checkpoint_id, '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { final_message: 'All done.' } })
    expect(await project.effects()).toEqual(['done once'])
  },
)

test.concurrent('a failed run of --max-steps keeps what it had used of it', async () => {
  const wire = WIRES['openai'] as Wire
  await using server = await wire.open({ turns: TURNS, fail: [null, status(400)] })
  await using project = await against(server, wire)
  const failed = await project.run([...RUN, '--max-steps', '2'])
  expect(failed).toMatchObject({ exit: 1, json: { outcome: 'failed', steps_taken: 1 } })
  const done = await project.holdpoint('-c', failed.json.checkpoint_id, '-o', 'json')
  expect(done.json).toMatchObject({ steps_taken: 2 })
})

test.concurrent('a failure in the middle of a gated run keeps its gates', async () => {
  const wire = WIRES['openai'] as Wire
  const turns = [{ calls: [effect('tc_1', 'one')] }, { calls: [effect('tc_2', 'two')] }, 'All done.']
  await using server = await wire.open({ turns, fail: [null, status(400)] })
  await using project = await aProject({ env: { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) } })
  const paused = await project.run(['-a', '--pause-on-approval', '-o', 'json', 'go'])
  const failed = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(failed).toMatchObject({ exit: 1, json: { outcome: 'failed', error: { code: 'model_rejected' } } })
  expect(await project.effects()).toEqual(['one'])
  expect(project.exists('.holdpoint', 'session', 'pause.json')).toBe(false)

  const next = await project.holdpoint('-c', failed.json.checkpoint_id, '-o', 'json')
  expect(next).toMatchObject({ exit: 10, json: { pause_reason: { pending_tool_calls: [{ id: 'tc_2' }] } } })
  expect(await project.effects()).toEqual(['one'])
})

test.concurrent('a scripted model that fails once is asked again', async () => {
  await using project = await aProject({
    script: [{ text: 'Hello.', error: { message: 'down', retryable: true, times: 1 } }],
  })
  expect(await project.run(RUN)).toMatchObject({ exit: 0, json: { final_message: 'Hello.' } })
})

test.concurrent('the tries after the first one are told on stderr with --verbose', async () => {
  const wire = WIRES['openai'] as Wire
  await using server = await wire.open({ turns: ['Hello.'], fail: [status(429)] })
  await using project = await against(server, wire)
  const done = await project.run([...RUN, '--verbose'])
  expect(done).toMatchObject({ exit: 0, stderr: expect.stringMatching(/rate_limited.*try 2 in 1 ms/) })
})

/** The address of a server that was there a moment ago. */
async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/v1`
}
