import { statSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

/** For requests that change nothing. */
let server: ServerProcess
let home: Project
beforeAll(async () => {
  home = await aProject({ script, policy })
  server = await aServer(home, '--no-work')
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await home?.[Symbol.asyncDispose]()
})

async function startedRun(server: ServerProcess): Promise<{ run_id: string; thread_id: string }> {
  const started = await server.send('/v1/threads', { body: { input: 'deploy' } })
  expect(started.status).toBe(201)
  expect(started.headers.get('location')).toBe(`/v1/threads/${started.json.thread_id}`)
  return started.json
}

test('P2: of two clients and a shell that decide at once one is recorded, the others are told the winner, and there is one effect', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { run_id } = await startedRun(server)
  const hold = await openHold(server, run_id)
  const decisions = `/v1/holds/${hold.id}/decisions`
  const [one, two, shell] = await Promise.all([
    server.send(decisions, { body: { verdict: 'approve' } }),
    server.send(decisions, { body: { verdict: 'approve', reason: 'me too' } }),
    project.holdpoint('approve', hold.id, '--json'),
  ])
  const http = [one, two].filter(({ status }) => status === 200)
  expect(http.length + (shell.exit === 0 ? 1 : 0)).toBe(1)
  for (const lost of [one, two].filter(({ status }) => status !== 200)) {
    expect(lost.status).toBe(409)
    expect(lost.json).toMatchObject({ code: 'already_decided', winner: { verdict: 'approve', decided_by: 'ana' } })
  }
  expect(await doneRun(server, run_id)).toMatchObject({
    agent_message: 'Deployed.',
    termination: { type: 'natural_end' },
  })
  expect(await project.effects()).toEqual(['applied'])
})

test('who sends a file that the model does not read is told so in the answer', async () => {
  const env = { HOLDPOINT_MODEL: 'anthropic/claude-test', ANTHROPIC_API_KEY: 'test' }
  await using project = await aProject({ env })
  await using server = await aServer(project, '--no-work')
  const parts = [
    { type: 'file', name: 'a.docx', media_type: 'application/x-docx', data: Buffer.from('PK\0').toString('base64') },
    { type: 'file', name: 'a.csv', media_type: 'text/csv', data: Buffer.from('tea,3').toString('base64') },
  ]
  const warnings = [
    { code: 'parts_not_read', parts: ['[file a.docx, application/x-docx, 3 bytes: this model reads no such file]'] },
  ]
  const started = await server.send('/v1/threads', { body: { input: parts } })
  expect([started.status, started.json.warnings]).toMatchObject([201, warnings])
  const sent = await server.send(`/v1/threads/${started.json.thread_id}/messages`, { body: { parts } })
  expect([sent.status, sent.json.warnings]).toMatchObject([202, warnings])
})

test('P10: who decides is the owner of the token, a repeat of the same key counts once, and all of it is on record', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { run_id, thread_id } = await startedRun(server)
  const hold = await openHold(server, run_id)
  expect(hold.path).toMatchObject([{ run_id }])
  const seen = await server.send(`/v1/holds/${hold.id}`)
  expect(seen.json).toMatchObject({ id: hold.id, may_decide: true, because: { rule: 'default: prompt' }, siblings: [] })

  const decisions = `/v1/holds/${hold.id}/decisions`
  const signed = await server.send(decisions, { body: { verdict: 'approve', decided_by: 'ben' } })
  expect([signed.status, signed.json.code]).toEqual([422, 'signed_by_the_caller'])
  const other = await server.send(decisions, { body: { verdict: 'approve', seen: { digest: 'sha256:0' } } })
  expect([other.status, other.json.code]).toEqual([412, 'digest_mismatch'])
  const before = await server.send(decisions, { body: { verdict: 'approve', seen: { digest: hold.digest, level: 1 } } })
  expect([before.status, before.json.code]).toEqual([412, 'level_mismatch'])

  const said = {
    body: { verdict: 'approve', seen: { digest: hold.digest, level: hold.level } },
    headers: { 'idempotency-key': 'click-1' },
  }
  const [first, again] = [await server.send(decisions, said), await server.send(decisions, said)]
  expect([first.status, first.json.outcome]).toEqual([200, 'recorded'])
  expect(first.json.decision).toMatchObject({ decision_id: 'click-1', decided_by: 'ana', surface: 'http' })
  expect([again.status, again.json.outcome]).toEqual([200, 'duplicate'])
  await doneRun(server, run_id)

  const { json: audit } = await server.send(`/v1/audit?hold_id=${hold.id}`)
  const told = audit.records.map(({ record }: { record: { kind: string; actor: string } }) => [
    record.kind,
    record.actor,
  ])
  expect(told).toEqual([
    ['hold.opened', null],
    ['hold.shown', 'ana'],
    ['decision.refused', 'ana'],
    ['decision.refused', 'ana'],
    ['hold.decided', 'ana'],
  ])
  const { json: messages } = await server.send(`/v1/threads/${thread_id}/messages`)
  expect(messages.messages.map(({ role }: { role: string }) => role)).toContain('human_response')
  const { json: model } = await server.send(`/v1/threads/${thread_id}/messages?view=model`)
  expect(model.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Deployed.' })
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

test('a message, a cancel, lists page by page, and what is the same is not sent again', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { run_id, thread_id } = await startedRun(server)
  const second = await startedRun(server)
  await Promise.all([openHold(server, run_id), openHold(server, second.run_id)])

  const page = await server.send('/v1/holds?limit=1')
  expect(page.json.holds.map((hold: { run_id: string }) => hold.run_id)).toHaveLength(1)
  const rest = await server.send(`/v1/holds?limit=1&after=${page.json.next}`)
  expect(rest.json.holds[0].id).not.toBe(page.json.holds[0].id)
  const tag = page.headers.get('etag') ?? ''
  const same = await server.fetch('/v1/holds?limit=1', { headers: { 'if-none-match': tag } })
  expect([same.status, await same.text()]).toEqual([304, ''])

  const message = await server.send(`/v1/threads/${thread_id}/messages`, { body: { text: 'wait' } })
  expect([message.status, message.json.code]).toEqual([409, 'run_waiting'])
  const instead = { text: 'do nothing', while_waiting: 'supersede' }
  const key = { 'idempotency-key': 'm-1' }
  const sent = await server.send(`/v1/threads/${thread_id}/messages`, { body: instead, headers: key })
  expect([sent.status, sent.json.outcome]).toEqual([202, 'superseded'])
  await doneRun(server, run_id)

  const cancelled = await server.send(`/v1/runs/${second.run_id}/cancel`, { body: { reason: 'no need' } })
  expect(cancelled.status).toBe(200)
  expect(await doneRun(server, second.run_id)).toMatchObject({ termination: { type: 'cancelled' } })
  expect(await project.effects()).toEqual([])
  const runs = await server.send('/v1/runs?status=done')
  expect(runs.json.runs.map((run: { run_id: string }) => run.run_id)).toEqual([second.run_id, run_id])
  const gone = await server.send(`/v1/holds/${page.json.holds[0].id}/decisions`, { body: { verdict: 'approve' } })
  expect([gone.status, gone.json.code]).toEqual([410, 'hold_withdrawn'])
})

test('P2: a start with a key is one run, and another body with that key is refused', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const start = (input: string, key: string) =>
    server.send('/v1/threads', { body: { input }, headers: { 'idempotency-key': key } })
  const [one, same] = await Promise.all([start('deploy', 'click-1'), start('deploy', 'click-1')])
  expect([one.status, same.status]).toEqual([201, 201])
  expect(same.json).toEqual(one.json)
  expect(await start('deploy', 'click-1')).toMatchObject({ status: 201, json: one.json })
  const other = await start('destroy', 'click-1')
  expect([other.status, other.json.code]).toEqual([409, 'start_id_taken'])
  expect((await start('deploy', 'click-2')).json.run_id).not.toBe(one.json.run_id)
  expect((await server.send('/v1/runs')).json.runs).toHaveLength(2)
})

const MANY_HEADERS = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`x-${n}`, '1']))

test.each([
  ['GET /v1/nothing', 404, 'unknown_path', {}],
  ['GET /v1/holds/hold_x', 404, 'unknown_hold', {}],
  ['GET /v1/runs/run_x', 404, 'unknown_run', {}],
  ['GET /v1/threads/th_x', 404, 'unknown_session', {}],
  ['PUT /v1/holds', 405, 'method_not_allowed', {}],
  ['GET /v1/holds', 406, 'not_acceptable', { headers: { accept: 'text/html' } }],
  ['GET /v1/holds', 431, 'too_many_headers', { headers: MANY_HEADERS }],
  [`GET /v1/holds?tool=${'x'.repeat(9_000)}`, 414, 'url_too_long', {}],
  ['GET /v1/holds?mine=perhaps', 422, 'invalid_query', {}],
  ['GET /v1/holds?colour=red', 422, 'invalid_query', {}],
  ['GET /v1/holds?limit=all', 422, 'invalid_query', {}],
  ['GET /v1/holds?limit=1&limit=2', 422, 'invalid_query', {}],
  ['GET /v1/holds', 401, 'token_missing', { token: '' }],
  ['GET /v1/holds', 401, 'invalid_token', { token: 'another-token-of-no-server' }],
  ['GET /v1/holds', 403, 'origin_not_allowed', { headers: { origin: 'https://evil.example' } }],
  ['POST /v1/threads', 415, 'unsupported_media_type', { body: '{', headers: { 'content-type': 'text/plain' } }],
  ['POST /v1/threads', 400, 'not_json', { body: '{' }],
  ['POST /v1/threads', 400, 'json_too_deep', { body: '['.repeat(200) + ']'.repeat(200) }],
  ['POST /v1/threads', 400, 'json_not_exact', { body: '{"input":"x","context":{"id":1234567890123456789}}' }],
  ['POST /v1/threads', 400, 'json_not_exact', { body: '{"input":"x","context":{"limit":1e999}}' }],
  ['POST /v1/threads', 400, 'json_not_exact', { body: '{"input":"x","input":"y"}' }],
  ['POST /v1/threads', 400, 'json_not_exact', { body: '{"input":"x","context":{"__proto__":{}}}' }],
  ['POST /v1/threads', 413, 'body_too_large', { body: { input: 'x'.repeat(2_000_000) } }],
  ['POST /v1/threads', 422, 'invalid_body', { body: { input: 'x', color: 1 } }],
  ['POST /v1/threads', 422, 'unknown_agent', { body: { input: 'x', agent: '../evil.ts' } }],
  ['POST /v1/runs/r/cancel', 422, 'idempotency_key_not_taken', { body: {}, headers: { 'idempotency-key': 'k' } }],
] as const)('%s may be refused with %d %s, a problem that says what to do', async (request, status, code, sent) => {
  const [method = '', path = ''] = request.split(' ')
  const answer = await server.send(path, { method, ...sent })
  expect([answer.status, answer.json.code]).toEqual([status, code])
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  const document = {
    type: `urn:holdpoint:error:${code}`,
    status,
    title: expect.any(String),
    detail: expect.any(String),
  }
  expect(answer.json).toMatchObject(document)
})

test('an edit or an answer that cannot be taken is refused with the places, and the hold stays open', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const [{ id }] = (await server.send('/v1/holds')).json.holds
  const edit = (args: string) =>
    server.send(`/v1/holds/${id}/decisions`, { body: `{"verdict":"edit","arguments":${args}}` })
  expect(await edit('{"command":7,"timeout_seconds":"x"}')).toMatchObject({
    status: 422,
    json: {
      code: 'invalid_arguments',
      errors: [
        { path: 'arguments.command', message: expect.stringContaining('string') },
        { path: 'arguments.timeout_seconds', message: expect.stringContaining('number') },
      ],
    },
  })
  expect(await edit('{"command":"true","timeout_seconds":1e999}')).toMatchObject({
    status: 400,
    json: {
      code: 'json_not_exact',
      errors: [{ path: 'body.arguments.timeout_seconds', message: expect.stringContaining('1e999') }],
    },
  })
  expect((await server.send(`/v1/holds/${id}`)).json.status).toBe('open')
})

test('`mine` lists what the caller is asked or may decide, page by page', async () => {
  const config = { deciders: { people: ['ben', 'cleo'] } }
  await using project = await aProject({ script, policy, config })
  await using server = await aServer(project)
  const tokens = new Map<string, string>()
  for (const name of ['ben', 'dora'])
    tokens.set(name, (await project.holdpoint('tokens', 'add', name, '--role', 'decider')).stdout.trim())
  const runs = [await startedRun(server), await startedRun(server)]
  const ids: string[] = []
  for (const { run_id } of runs) ids.push((await openHold(server, run_id)).id)
  const mine = async (name: string, more = '') => {
    const { json } = await server.send(`/v1/holds?mine=true${more}`, { token: tokens.get(name) ?? '' })
    return json.holds.map((hold: { id: string }) => hold.id)
  }
  expect(await mine('ben')).toEqual(ids)
  expect(await mine('ben', `&limit=1&after=${ids[0]}`)).toEqual([ids[1]])
  expect(await mine('dora')).toEqual([])
  await server.send(`/v1/holds/${ids[0]}/decisions`, { body: { verdict: 'approve' }, token: tokens.get('ben') ?? '' })
  expect(await mine('ben', '&limit=1')).toEqual([ids[1]])
})

test('a key that is not known is named with its path', async () => {
  const { json } = await server.send('/v1/threads', { body: { input: 'x', color: 1 } })
  expect(json.errors).toEqual([{ path: 'body.color', message: expect.stringContaining('is not allowed') }])
})

test('health needs no token and tells nothing else, and the token is for the owner alone', async () => {
  await using project = await aProject({ script, env: { HOLDPOINT_SERVER_TOKEN: '' } })
  for (const path of ['/healthz', '/readyz']) expect((await server.send(path, { token: '' })).status).toBe(200)
  const port = new URL(server.url).port
  const taken = await project.holdpoint('serve', '--port', port)
  expect(taken).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('--port 0') })
  const { place } = (await project.holdpoint('tokens', 'own', '--json')).json
  expect(statSync(place).mode & 0o777).toBe(0o600)
  expect(place).not.toContain('.holdpoint')
})

test('P1: an agent serves nothing', async () => {
  await using project = await aProject({ script })
  const within = await project.run(['serve', '--port', '0'], { env: { HOLDPOINT_WITHIN: 'agent:default/run_1' } })
  expect(within).toMatchObject({ exit: 2, stderr: expect.stringContaining('An agent may not serve') })
})

test('SIGTERM: it is not ready any more, what runs comes to rest, and it exits with 0', async () => {
  const slow = [
    { calls: [{ id: 't1', name: 'run_command', args: { command: 'sleep 3; echo slept >> effects.log' } }] },
    'Done.',
  ]
  await using project = await aProject({ script: slow, policy: { default: 'auto' } })
  await using server = await aServer(project)
  const { run_id } = await startedRun(server)
  const isRunning = async () => (await server.send(`/v1/runs/${run_id}`)).json.calls?.[0]?.status
  await expect.poll(isRunning).toBe('running')
  server.child.kill('SIGTERM')
  await expect.poll(async () => (await server.send('/readyz')).status).toBe(503)
  expect((await server.send('/healthz')).status).toBe(200)
  expect((await server.send('/v1/holds')).json.code).toBe('server_ending')
  expect(await server.exit).toBe(0)
  expect(await project.effects()).toEqual(['slept'])
  expect((await project.holdpoint('show', run_id, '--json')).json.status).toBe('done')
})

test('P4: a server that dies between a decision and its effect is followed by one that goes on, and nothing happens twice', async () => {
  await using project = await aProject({ script, policy })
  await using first = await aServer(project, '--no-work')
  const { run_id } = await startedRun(first)
  const paused = await project.holdpoint('work', '--once')
  expect(paused.exit).toBe(0)
  const hold = await openHold(first, run_id)
  const decided = await first.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  expect(decided.status).toBe(200)
  first.child.kill('SIGKILL')
  await first.exit
  expect(await project.effects()).toEqual([])
  await using second = await aServer(project)
  await doneRun(second, run_id)
  expect(await project.effects()).toEqual(['applied'])
})
