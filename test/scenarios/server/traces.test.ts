import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aProject, CLI, command, effect } from '../project.ts'
import { aCollector } from './collector.ts'
import { aServer, doneRun, openHold } from './server-process.ts'

const usage = { input: 100, output: 20 }
const script = [
  { text: 'I will deploy the secret plan.', calls: [effect('tc_1', 'applied')], usage },
  { text: 'The plan is deployed.', usage },
]
const policy = { default: 'prompt' }
const PATIENCE_MS = 400

test('a run is one trace, and the time that people took is a span of its own, also over a restart', async () => {
  await using collector = await aCollector()
  await using project = await aProject({ script, policy })
  const first = await aServer(project, '--otlp', collector.url)
  const started = await first.send('/v1/threads', { body: { input: 'deploy the plan' } })
  const { run_id, thread_id } = started.json
  const hold = await openHold(first, run_id)
  await collector.received('chat script')
  first.child.kill('SIGTERM')
  expect(await first.exit).toBe(0)
  await delay(PATIENCE_MS)

  await using second = await aServer(project, '--otlp', collector.url)
  await second.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve', reason: 'the plan is good' } })
  await doneRun(second, run_id)
  const [agent] = await collector.received('invoke_agent default')
  const { spans } = collector
  const shape = spans.map(({ name, parentSpanId }) => [name, parentSpanId === agent?.spanId])
  expect(shape).toEqual([
    ['chat script', true],
    ['holdpoint.wait', true],
    ['execute_tool run_command', true],
    ['chat script', true],
    ['invoke_agent default', false],
  ])
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5)
  const [chat, wait, tool] = spans
  expect(wait?.ms).toBeGreaterThanOrEqual(PATIENCE_MS)
  expect(wait?.attributes).toMatchObject({
    'holdpoint.hold.id': hold.id,
    'holdpoint.hold.kind': 'approval',
    'holdpoint.verdict': 'approve',
    'gen_ai.tool.name': 'run_command',
  })
  expect(tool?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.call.id': 'tc_1',
    'holdpoint.call.status': 'succeeded',
  })
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'script',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.conversation.id': thread_id,
  })
  expect(agent).toMatchObject({
    isError: false,
    attributes: { 'gen_ai.agent.name': 'default', 'gen_ai.usage.output_tokens': 40, 'holdpoint.run.id': run_id },
  })
  expect(collector.bodies.join('\n')).not.toMatch(/plan|applied|effects/)
})

test('a run that an agent started is in the trace of that agent, with the time that people took', async () => {
  const starts = ['node', CLI, '--agent', 'leaf.mjs', '--pause-on', 'approval', '-o', 'json', 'go'].join(' ')
  const scripts = {
    lead: [{ calls: [command('tc_1', starts)] }, 'Done.'],
    leaf: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'],
  }
  const files = Object.entries(scripts).flatMap(([name, turns]) => [
    [`${name}.json`, JSON.stringify(turns)],
    [
      `${name}.mjs`,
      `export const agent = { name: '${name}', model: 'script:${name}.json', policy: { default: 'prompt' } }`,
    ],
  ])
  await using collector = await aCollector()
  await using project = await aProject({ files: Object.fromEntries(files) })
  await using _server = await aServer(project, '--otlp', collector.url)
  await project.holdpoint('--agent', 'lead.mjs', '-o', 'json', 'go')
  const [lead] = await collector.received('invoke_agent lead')
  const [hold] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('approve', hold.id)
  const [leaf] = await collector.received('invoke_agent leaf')
  expect(leaf).toMatchObject({ traceId: lead?.traceId, parentSpanId: lead?.spanId })
  const [wait] = await collector.received('holdpoint.wait')
  expect(wait).toMatchObject({ traceId: lead?.traceId, parentSpanId: leaf?.spanId })
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1)
})

test('a collector that is down for a while gets all of it later, and no run waits for it', async () => {
  await using collector = await aCollector()
  collector.answer(404)
  await using project = await aProject({ script: ['Done.'] })
  await using server = await aServer(project, '--otlp', collector.url)
  const started = await server.send('/v1/threads', { body: { input: 'go' } })
  await doneRun(server, started.json.run_id)
  while (!server.said.some(line => line.includes('takes no traces'))) await delay(25)
  collector.answer(200)
  const again = await server.send('/v1/threads', { body: { input: 'go' } })
  await doneRun(server, again.json.run_id)
  expect(await collector.received('invoke_agent default', 2)).toHaveLength(2)
})

test('content goes to the collector only if it is asked for', async () => {
  await using collector = await aCollector()
  await using project = await aProject({
    script,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' },
    policy: { default: 'auto' },
  })
  await using server = await aServer(project)
  const started = await server.send('/v1/threads', { body: { input: 'deploy' } })
  await doneRun(server, started.json.run_id)
  const [tool] = await collector.received('execute_tool run_command')
  expect(tool?.attributes['gen_ai.tool.call.arguments']).toContain('echo applied')
  const [chat] = await collector.received('chat script')
  expect(chat?.attributes['gen_ai.output.messages']).toContain('the secret plan')
})

test('an address that is none is refused', async () => {
  await using project = await aProject({ script })
  const refused = await project.holdpoint('serve', '--port', '0', '--otlp', 'collector:4317')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--otlp http://127.0.0.1:4318') })
})
