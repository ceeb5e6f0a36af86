import { expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { samplesIn, scrape } from './scrape.ts'
import { aServer, doneRun, openHold } from './server-process.ts'

const usage = { input: 100, output: 20 }
const script = [
  { text: 'I will deploy.', calls: [effect('tc_1', 'applied')], usage },
  { text: 'Deployed.', usage },
]
const policy = { default: 'prompt' }

test('the figures tell what waits, who decided, and what runs took', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--metrics')
  const started = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.json.run_id)
  const waiting = await scrape(server)
  expect(waiting).toMatchObject({
    'holdpoint_holds_open{kind="approval"}': 1,
    'holdpoint_holds_open{kind="question"}': 0,
    'holdpoint_holds_opened_total{kind="approval"}': 1,
    holdpoint_runs_started_total: 1,
    holdpoint_steps_total: 1,
    'holdpoint_feed_lag_records{reader="metrics"}': 0,
    holdpoint_streams: 0,
  })
  expect(waiting['holdpoint_oldest_open_hold_age_seconds{kind="approval"}']).toBeGreaterThan(0)

  await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'reject' } })
  await doneRun(server, started.json.run_id)
  expect(await scrape(server)).toMatchObject({
    'holdpoint_holds_open{kind="approval"}': 0,
    'holdpoint_oldest_open_hold_age_seconds{kind="approval"}': 0,
    'holdpoint_decisions_total{verdict="approve",by="person"}': 1,
    'holdpoint_decisions_total{verdict="reject",by="person"}': 0,
    'holdpoint_decisions_refused_total{code="already_decided"}': 1,
    'holdpoint_time_to_decide_seconds_count{kind="approval"}': 1,
    'holdpoint_runs{status="running"}': 0,
    'holdpoint_runs{status="waiting"}': 0,
    'holdpoint_runs_finished_total{termination="natural_end"}': 1,
    holdpoint_steps_total: 2,
    'holdpoint_tokens_total{type="input",model="script"}': 200,
    'holdpoint_tokens_total{type="output",model="script"}': 40,
    'holdpoint_tool_calls_total{status="succeeded"}': 1,
    'holdpoint_leases{state="held"}': 0,
    'holdpoint_http_requests_total{method="POST",route="/v1/holds/:id/decisions",status="409"}': 1,
  })
})

test('a server that advances nothing counts what other processes do', async () => {
  await using project = await aProject({ script, policy })
  const before = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  await using server = await aServer(project, '--metrics', '--no-work')
  expect(await scrape(server)).toMatchObject({
    'holdpoint_runs{status="waiting"}': 1,
    holdpoint_runs_started_total: 0,
    holdpoint_steps_total: 0,
  })
  await project.holdpoint('-c', before.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(await scrape(server)).toMatchObject({
    'holdpoint_runs{status="waiting"}': 0,
    'holdpoint_decisions_total{verdict="approve",by="person"}': 1,
    holdpoint_steps_total: 1,
    'holdpoint_tokens_total{type="input",model="script"}': 100,
    'holdpoint_runs_finished_total{termination="natural_end"}': 1,
  })
})

test('a fork does not count what it copied', async () => {
  await using project = await aProject({ script, policy })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  await using server = await aServer(project, '--metrics', '--no-work')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--fork', '--approve', 'tc_1', '-o', 'json')
  expect(await scrape(server)).toMatchObject({
    holdpoint_steps_total: 1,
    'holdpoint_tokens_total{type="output",model="script"}': 20,
  })
})

test('P1: the figures are for admins, on a port of their own they need no token, and without being asked for there are none', async () => {
  await using project = await aProject({ script, policy })
  const { stdout: token } = await project.holdpoint('tokens', 'add', 'ben', '--role', 'operator')
  await using server = await aServer(project, '--metrics', '--metrics-port', '0', '--no-work')
  const answers = await Promise.all(
    ['', 'another-token-of-no-server', token.trim()].map(each => server.send('/metrics', { token: each })),
  )
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
    [401, 'token_missing'],
    [401, 'invalid_token'],
    [403, 'role_not_sufficient'],
  ])
  const own = /figures are at (\S+),/.exec(server.said.join('\n'))?.[1] ?? ''
  const figures = await fetch(own)
  expect([figures.status, figures.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)])
  expect(samplesIn(await figures.text())).toMatchObject({ 'holdpoint_runs{status="waiting"}': 0 })
  const elsewhere = await fetch(new URL('/v1/holds', own))
  expect(elsewhere.status).toBe(401)

  await using plain = await aServer(project, '--no-work')
  expect((await plain.send('/metrics')).json.code).toBe('unknown_path')
})

test('failures of models are counted by their code, retries as well as those that end a run', async () => {
  const retried = { text: 'Busy.', error: { message: 'try again', retryable: true, times: 1 } }
  const fails = { error: { message: 'no such model', retryable: false } }
  await using project = await aProject({ script: [retried, fails], policy })
  await using server = await aServer(project, '--metrics')
  const first = await server.send('/v1/threads', { body: { input: 'go' } })
  await doneRun(server, first.json.run_id)
  expect(await scrape(server)).toMatchObject({ 'holdpoint_model_errors_total{code="model_error"}': 1 })
  const second = await server.send(`/v1/threads/${first.json.thread_id}/messages`, { body: { text: 'again' } })
  await doneRun(server, second.json.run_id)
  expect(await scrape(server)).toMatchObject({
    'holdpoint_model_errors_total{code="model_error"}': 2,
    'holdpoint_runs_finished_total{termination="error"}': 1,
  })
})

test('--metrics-host names the address of the port of figures, and goes with that port alone', async () => {
  await using project = await aProject({ script, policy })
  const alone = await project.holdpoint('serve', '--port', '0', '--metrics-host', '127.0.0.2')
  expect(alone).toMatchObject({ exit: 2, stderr: expect.stringContaining('--metrics-port') })
  await using server = await aServer(project, '--metrics-port', '0', '--metrics-host', '127.0.0.2', '--no-work')
  const own = /figures are at (\S+),/.exec(server.said.join('\n'))?.[1] ?? ''
  expect(new URL(own).hostname).toBe('127.0.0.2')
  expect(samplesIn(await (await fetch(own)).text())).toMatchObject({ 'holdpoint_runs{status="waiting"}': 0 })
  await expect(fetch(own.replace('127.0.0.2', '127.0.0.1'))).rejects.toThrow()
})

test('a client cannot make up values of labels', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--metrics', '--no-work')
  for (const n of [1, 2, 3]) {
    await server.send(`/v1/runs/made-up-${n}`)
    await server.send(`/made-up-${n}`)
    await server.send('/v1/runs', { method: 'PROPFIND' })
  }
  const names = Object.keys(await scrape(server))
  expect(names.filter(name => /made-?up/i.test(name))).toEqual([])
  expect(names).toContain('holdpoint_http_requests_total{method="other",route="/v1/runs",status="405"}')
})
