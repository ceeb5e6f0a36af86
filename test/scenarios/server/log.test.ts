import { expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { aServer, doneRun, openHold, TOKEN } from './server-process.ts'

const script = [{ text: 'I will deploy the secret plan.', calls: [effect('tc_1', 'applied')] }, 'The plan is deployed.']
const policy = { default: 'prompt' }

function lines(text: readonly string[]): Record<string, unknown>[] {
  return text.map(line => JSON.parse(line))
}

test('each line of the log of a server is one event with its ids, and none has content or a token', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--log', 'json')
  const started = await server.send('/v1/threads', { body: { input: 'deploy the plan' } })
  const { run_id, thread_id } = started.json
  const hold = await openHold(server, run_id)
  await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve', reason: 'the plan is good' } })
  await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'reject', reason: 'the plan is bad' } })
  await server.send('/v1/holds', { token: 'a-token-that-is-not-one' })
  await doneRun(server, run_id)
  server.child.kill('SIGTERM')
  expect(await server.exit).toBe(0)

  const log = lines(server.said)
  for (const line of log)
    expect(line).toMatchObject({ time: expect.any(String), level: expect.any(String), event: expect.any(String) })
  const told = (event: string) => log.filter(line => line['event'] === event)
  expect(told('server.listening')).toMatchObject([{ url: server.url, works: true }])
  expect(told('hold.opened')).toMatchObject([{ run_id, thread_id, hold_id: hold.id, kind: 'approval' }])
  expect(told('hold.decided')).toMatchObject([{ hold_id: hold.id, verdict: 'approve', by: 'ana', surface: 'http' }])
  expect(told('decision.refused')).toMatchObject([{ hold_id: hold.id, code: 'already_decided', by: 'ana' }])
  expect(told('call.finished')).toMatchObject([{ run_id, call_id: 'tc_1', status: 'succeeded', code: null }])
  expect(told('model.answered')).toHaveLength(2)
  expect(told('run.finished')).toMatchObject([{ run_id, termination: 'natural_end' }])
  expect(told('run.advanced').at(-1)).toMatchObject({ run_id, status: 'done' })
  expect(told('server.stopped')).toHaveLength(1)
  const requests = told('request.answered')
  expect(requests).toContainEqual(
    expect.objectContaining({ method: 'POST', route: '/v1/holds/:id/decisions', status: 200, by: 'ana', id: hold.id }),
  )
  expect(requests).toContainEqual(expect.objectContaining({ route: '/v1/holds', status: 401, by: null }))
  expect(server.said.join('\n')).not.toMatch(new RegExp(`plan|applied|echo|${TOKEN}|a-token-that-is-not-one`))
})

test('the log of a worker goes to stderr as JSON, and stdout stays for documents', async () => {
  await using project = await aProject({ script, policy })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  await project.holdpoint('approve', paused.json.pause_reason.pending_tool_calls[0].hold_id)
  const worked = await project.holdpoint('work', '--once', '--log', 'json')
  expect(worked).toMatchObject({ exit: 0, stdout: '' })
  const log = lines(worked.stderr.trim().split('\n'))
  const events = log.map(({ event }) => event)
  expect(events).toEqual(expect.arrayContaining(['worker.started', 'run.taken', 'run.finished', 'run.advanced']))
  expect(worked.stderr).not.toMatch(/plan|applied/)
})

test('a failure of a model is told by its code alone', async () => {
  const failing = [{ error: { message: 'the key sk-123 is wrong', retryable: false } }]
  await using project = await aProject({ script: failing, policy })
  await using server = await aServer(project, '--log', 'json', '--metrics')
  const started = await server.send('/v1/threads', { body: { input: 'deploy' } })
  await doneRun(server, started.json.run_id)
  const said = server.said.join('\n')
  expect(said).not.toContain('sk-123')
  expect(lines(server.said)).toContainEqual(
    expect.objectContaining({ event: 'run.finished', termination: 'error', code: expect.any(String) }),
  )
})

test('a format that there is not is refused', async () => {
  await using project = await aProject({ script })
  const refused = await project.holdpoint('serve', '--port', '0', '--log', 'xml')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('Write --log text or --log json.') })
})
